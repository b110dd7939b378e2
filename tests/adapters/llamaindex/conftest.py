"""Small real LlamaIndex applications over each store, and witnesses that read them without the adapter."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import darnel
from darnel.core.plant import make_marker, make_plant
from tests.support.chroma import ephemeral_client

DIMENSION = 48
OTHER_TENANT = "globex"
KINDS = ("simple", "chroma", "qdrant", "chroma+docstore", "qdrant+docstore")
_names = itertools.count()


def need_llamaindex() -> None:
    pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed")


def need(kind: str) -> None:
    need_llamaindex()
    if kind.startswith("chroma"):
        pytest.importorskip("llama_index.vector_stores.chroma", reason="llama-index-vector-stores-chroma is missing")
    if kind.startswith("qdrant"):
        pytest.importorskip("llama_index.vector_stores.qdrant", reason="llama-index-vector-stores-qdrant is missing")


def word_vector(text: str, dimension: int = DIMENSION) -> list[float]:
    """Unit sum of one random vector a word, the same in every process."""
    total = np.zeros(dimension)
    for word in re.findall(r"\w+", text.lower()):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(dimension)
    length = float(np.linalg.norm(total))
    return (total / length if length else np.ones(dimension) / dimension**0.5).astype(np.float32).tolist()


def embed_model(**fields: Any) -> Any:
    """A LlamaIndex embedding that notes down what it embedded."""
    from llama_index.core.embeddings import BaseEmbedding
    from pydantic import Field

    class WordEmbedding(BaseEmbedding):
        dimension: int = DIMENSION
        texts: list[str] = Field(default_factory=list)
        queries: list[str] = Field(default_factory=list)

        def _get_text_embedding(self, text: str) -> list[float]:
            self.texts.append(text)
            return word_vector(text, self.dimension)

        def _get_query_embedding(self, query: str) -> list[float]:
            self.queries.append(query)
            return word_vector(query, self.dimension)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_query_embedding(query)

    return WordEmbedding(**fields)


@dataclass
class App:
    """An application's index, and what it holds as its own client tells it."""

    kind: str
    index: Any
    model: Any
    native: Callable[[], Any]
    client: Any = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def store(self) -> Any:
        return self.index.vector_store

    def witness(self) -> str:
        """Everything: the store through its own client, docstore, index store and index struct."""
        context = self.index.storage_context
        beside = [
            context.docstore._kvstore._collections_mappings,
            context.index_store._kvstore._collections_mappings,
            self.index.index_struct.to_dict(),
        ]
        return json.dumps([self.native(), beside], sort_keys=True, default=str)

    def target(self, given: Any = None, **options: Any) -> Any:
        return darnel.open_target(self.index if given is None else given, **options)


def demo_rows(count: int) -> list[dict[str, Any]]:
    lines = (Path(darnel.__file__).parent / "demo" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:count]]


def demo_queries(count: int) -> list[str]:
    lines = (Path(darnel.__file__).parent / "demo" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines[:count]]


def documents(count: int) -> list[Any]:
    """Documents of two tenants with metadata that the model must not see, as a loader sets it."""
    from llama_index.core.schema import Document

    return [
        Document(
            id_=f"doc-{row['_id']}",
            text=row["text"],
            metadata={
                "title": row["title"],
                "tenant": OTHER_TENANT if number % 4 == 3 else "acme",
                "year": 2021 if number % 4 == 1 else 2020,  # one value is the commonest in any sample
                "path": f"/srv/{row['_id']}.md",
            },
            excluded_embed_metadata_keys=["path"],
            excluded_llm_metadata_keys=["path", "year"],
            metadata_template="{key} = {value}",
        )
        for number, row in enumerate(demo_rows(count))
    ]


def _chroma(metric: str = "cosine") -> tuple[Any, Callable[[], Any], Any]:
    from llama_index.vector_stores.chroma import ChromaVectorStore

    client = ephemeral_client()
    collection = client.create_collection(f"docs-{next(_names)}", metadata={"hnsw:space": metric})

    def native() -> Any:
        found = collection.get(include=["documents", "metadatas", "embeddings"])
        rows = zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"].tolist(), strict=True)
        names = sorted(c.name for c in client.list_collections())
        return [sorted(rows), collection.configuration.get("hnsw"), collection.metadata, names]

    return ChromaVectorStore(chroma_collection=collection), native, collection


def _qdrant(distance: str = "Dot", **options: Any) -> tuple[Any, Callable[[], Any], Any]:
    import qdrant_client
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client.models import Distance, VectorParams

    client = qdrant_client.QdrantClient(":memory:")
    # "Dot" by default: a search of a local cosine collection changes the stored vectors in their last bit
    config = VectorParams(size=DIMENSION, distance=Distance(distance))
    store = QdrantVectorStore("docs", client=client, dense_config=config, index_doc_id=False, **options)

    def native() -> Any:
        points, rest = client.scroll("docs", limit=100_000, with_vectors=True)
        assert rest is None
        rows = sorted([str(p.id), p.payload, str(p.vector)] for p in points)
        settings = client.get_collection("docs").config.model_dump()
        return [rows, settings, [c.name for c in client.get_collections().collections]]

    return store, native, client


def make_app(kind: str, count: int = 48, *, filled: bool = True, **options: Any) -> App:
    need(kind)
    from llama_index.core import StorageContext, VectorStoreIndex

    model, base = embed_model(), kind.partition("+")[0]
    made = {"chroma": _chroma, "qdrant": _qdrant}[base](**options) if base != "simple" else (None, None, None)
    context = StorageContext.from_defaults(vector_store=made[0])
    index = VectorStoreIndex.from_documents(
        documents(count) if filled else [],
        storage_context=context,
        embed_model=model,
        transformations=[],
        store_nodes_override=kind.endswith("+docstore"),
    )
    native = made[1] or index.vector_store.to_dict
    return App(kind, index, model, native, made[2])


def make_plants(
    target: Any, count: int = 3, *, campaign: str = "c1", text: str = "keys {n}", **metadata: Any
) -> list[Any]:
    """Plants as a run would make them: with the learned metadata."""
    from darnel.core.planting.shape import plant_metadata

    where = target.injector.describe()
    plants = []
    for n in range(count):
        marker = make_marker(7, campaign, n)
        plants.append(
            make_plant(
                identity=where.identity,
                campaign=campaign,
                pattern="echo",
                strength=1,
                query_id=f"q{n}",
                copy=0,
                marker=marker,
                text=f"{text.format(n=n)} {marker}",
                metadata=plant_metadata(where.shape, marker, metadata),
            )
        )
    return plants


@pytest.fixture(params=KINDS)
def app(request: pytest.FixtureRequest) -> App:
    return make_app(request.param)


@pytest.fixture(params=[k for k in KINDS if not k.startswith("simple")])
def text_app(request: pytest.FixtureRequest) -> App:
    return make_app(request.param)


@pytest.fixture
def simple() -> App:
    return make_app("simple")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Any]:
    with darnel.Ledger(tmp_path / "ledger.db") as journal:
        yield journal


@pytest.fixture
def kit() -> Any:
    """The helpers of this file, for tests in other files."""
    return SimpleNamespace(**globals())
