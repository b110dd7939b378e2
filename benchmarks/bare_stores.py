"""Stores filled with seeded records, each with its bare client's way to write and to delete, for ``adapters.py``."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stores import COLLECTION, Corpus, open_client
from darnel.api import open_target
from darnel.core.batches import chunks
from darnel.core.corpus import Record, Target
from darnel.core.plant import Plant
from darnel.embedders.base import CachedEmbedder, Embedder

DIMENSION = 64
BATCH = 5_000
METADATA = {"source": "seeded"}


class TooSlowError(Exception):
    """The store was not filled in time."""


@dataclass(frozen=True)
class Bare:
    """A filled store: darnel's target, and the bare client's calls. ``write`` takes plants and their vectors."""

    target: Target
    embedder: Embedder
    write: Callable[[Sequence[Plant], Any], object]
    delete: Callable[[list[str]], object]


Fill = Callable[[Corpus, Path, float], AbstractContextManager[Bare]]
"""Takes the records, an empty folder, and when to give up (``time.monotonic()``)."""


def seeded(size: int, plants: int) -> Corpus:
    """``size`` records with random vectors; a text's second word says which row is its vector, plants' rows come last."""
    matrix = np.random.default_rng(0).standard_normal((size + plants, DIMENSION)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    texts = [f"record {row} with some more words to make it a text of a usual length" for row in range(size)]

    def vectors(asked: list[str]) -> Any:
        words = [text.split(maxsplit=2) for text in asked]
        return matrix[[int(w[1]) + (size if w[0] == "planted" else 0) if len(w) > 1 else 0 for w in words]]

    ids = [str(uuid.UUID(int=row + 1)) for row in range(size)]
    return Corpus(f"seeded {size:,}", ids, texts, [], CachedEmbedder("seeded", vectors))


def parts(records: Corpus, until: float) -> Iterator[tuple[list[str], list[str], Any]]:
    """Ids, texts and vectors, a batch at a time, as long as there is time."""
    for rows in chunks(range(len(records.ids)), BATCH):
        if time.monotonic() > until:
            raise TooSlowError
        texts = records.texts[rows[0] : rows[-1] + 1]
        yield records.ids[rows[0] : rows[-1] + 1], texts, records.embedder.documents(texts)


@contextmanager
def memory(records: Corpus, _folder: Path, _until: float) -> Iterator[Bare]:
    from darnel.adapters.memory import MemoryCorpus

    corpus = MemoryCorpus(Record(i, t, METADATA) for i, t in zip(records.ids, records.texts, strict=True))
    held = corpus.records

    def delete(ids: list[str]) -> None:
        for id_ in ids:
            del held[id_]

    yield Bare(
        open_target(corpus),
        records.embedder,
        lambda plants, _v: held.update((p.id, Record(p.id, p.text, dict(p.metadata))) for p in plants),
        delete,
    )


@contextmanager
def chroma(records: Corpus, folder: Path, until: float) -> Iterator[Bare]:
    client = open_client(folder / "store")
    try:
        space = {"hnsw": {"space": "cosine"}}
        collection = client.create_collection(COLLECTION, embedding_function=None, configuration=space)  # type: ignore[arg-type]
        for ids, texts, vectors in parts(records, until):
            collection.add(ids=ids, documents=texts, embeddings=vectors, metadatas=[METADATA for _ in ids])

        def write(plants: Sequence[Plant], vectors: Any) -> None:
            collection.upsert(
                ids=[p.id for p in plants],
                documents=[p.text for p in plants],
                embeddings=vectors,
                metadatas=[dict(p.metadata) for p in plants],
            )

        target = open_target(collection, embedder=records.embedder)
        yield Bare(target, records.embedder, write, lambda ids: collection.delete(ids=ids))
    finally:
        client.close()


@contextmanager
def qdrant(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")
    space = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    client.create_collection(COLLECTION, vectors_config=space)

    def put(ids: Sequence[str], texts: Sequence[str], vectors: Any, metadatas: Sequence[Any]) -> None:
        rows = zip(ids, texts, vectors.tolist(), metadatas, strict=True)
        points = [models.PointStruct(id=i, vector=v, payload={"page_content": t, "metadata": m}) for i, t, v, m in rows]
        client.upsert(COLLECTION, points=points)

    for ids, texts, vectors in parts(records, until):
        put(ids, texts, vectors, [METADATA for _ in ids])
    yield Bare(
        open_target((client, COLLECTION), embedder=records.embedder),
        records.embedder,
        lambda plants, v: put([p.id for p in plants], [p.text for p in plants], v, [dict(p.metadata) for p in plants]),
        lambda ids: client.delete(COLLECTION, points_selector=ids),
    )
    client.close()


@contextmanager
def langchain_memory(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(_langchain(records))
    for ids, texts, _vectors in parts(records, until):
        store.add_texts(texts, [dict(METADATA) for _ in ids], ids=ids)
    yield _langchain_bare(store, records)


@contextmanager
def langchain_faiss(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    import faiss
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    store = FAISS(_langchain(records), faiss.IndexFlatL2(DIMENSION), InMemoryDocstore(), {})
    for ids, texts, _vectors in parts(records, until):
        store.add_texts(texts, [dict(METADATA) for _ in ids], ids=ids)
    yield _langchain_bare(store, records)


@contextmanager
def llamaindex(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import TextNode

    index = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=DIMENSION))
    hidden = [*METADATA, "darnel", "darnel_plant"]

    def put(ids: Sequence[str], texts: Sequence[str], vectors: Any, metadatas: Sequence[Any]) -> None:
        rows = zip(ids, texts, vectors.tolist(), metadatas, strict=True)
        index.insert_nodes(
            [
                TextNode(id_=i, text=t, embedding=v, metadata=m, excluded_embed_metadata_keys=hidden)
                for i, t, v, m in rows
            ]
        )

    for ids, texts, vectors in parts(records, until):
        put(ids, texts, vectors, [METADATA for _ in ids])
    yield Bare(
        open_target(index, embedder=records.embedder),
        records.embedder,
        lambda plants, v: put([p.id for p in plants], [p.text for p in plants], v, [dict(p.metadata) for p in plants]),
        lambda ids: index.delete_nodes(ids, delete_from_docstore=True),
    )


def _langchain(records: Corpus) -> Any:
    from langchain_core.embeddings import Embeddings

    class Seeded(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = records.embedder.documents(texts).tolist()
            return found

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Seeded()


def _langchain_bare(store: Any, records: Corpus) -> Bare:
    from langchain_core.documents import Document

    def write(plants: Sequence[Plant], _vectors: Any) -> None:
        documents = [Document(id=p.id, page_content=p.text, metadata=dict(p.metadata)) for p in plants]
        store.add_documents(documents, ids=[p.id for p in plants])

    return Bare(open_target(store), records.embedder, write, lambda ids: store.delete(ids=ids))


STORES: dict[str, Fill] = {
    "memory": memory,
    "chroma": chroma,
    "qdrant": qdrant,
    "langchain-memory": langchain_memory,
    "langchain-faiss": langchain_faiss,
    "llamaindex-simple": llamaindex,
}
