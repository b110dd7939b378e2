"""langchain-qdrant over Qdrant's local mode; the native client is qdrant-client's."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from darnel.adapters.langchain import langchain_target
from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import Declared

from .langchain_store import Document, Embeddings, LangChainFixtures, LangChainSuite, Words

home = pytest.importorskip("langchain_qdrant", reason="needs langchain-qdrant; run: pip install langchain-qdrant")


@dataclass
class Qdrant:
    client: Any
    name: str


class QdrantFixtures(LangChainFixtures):
    declared: ClassVar[Declared] = Declared(free_ids=False)
    patience: ClassVar[float] = 0.2

    @pytest.fixture
    def store(self) -> Iterator[Qdrant]:
        from qdrant_client import QdrantClient

        store = Qdrant(QdrantClient(":memory:"), f"docs-{uuid.uuid4().hex[:8]}")
        for name, records in ((store.name, self.records()), ("sibling", self.neighbour_records())):
            self._create(store, name)
            put(store.client, name, records)
        yield store
        store.client.close()

    def vectorstore(self, store: Any, embeddings: Embeddings | None, name: str = "") -> Any:
        # dot, of vectors of length one: local mode normalises those of cosine in place at every search
        return home.QdrantVectorStore(
            store.client,
            name or store.name,
            embeddings,
            distance=_dot(),
            validate_embeddings=False,
            validate_collection_config=False,
        )

    def only_blue(self) -> Any:
        from qdrant_client import models

        return models.Filter(must=[models.FieldCondition(key="metadata.tenant", match=models.MatchValue(value="blue"))])

    def id_of(self, document: Document) -> str:
        return str(document.metadata["_id"])

    def open_missing(self, store: Any) -> Target:
        return langchain_target(self.vectorstore(store, Words(self.embedder()), "not-there"))

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        self._create(store, "empty")
        return langchain_target(self.vectorstore(store, Words(embedder), "empty"))

    def witness(self, store: Any) -> list[Record]:
        return everything(store.client, store.name)

    def write(self, store: Any, records: Sequence[Record]) -> None:
        put(store.client, store.name, records)

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.client.delete(store.name, points_selector=list(ids))

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {"sibling": everything(store.client, "sibling")}

    def structure(self, store: Any) -> object:
        names = sorted(c.name for c in store.client.get_collections().collections)
        return {n: store.client.get_collection(n).config.model_dump_json() for n in names}

    def _create(self, store: Any, name: str) -> None:
        from qdrant_client import models

        size = self.embedder().dimension
        store.client.create_collection(name, vectors_config=models.VectorParams(size=size, distance=_dot()))


def _dot() -> Any:
    from qdrant_client import models

    return models.Distance.DOT


def put(client: Any, name: str, records: Sequence[Record]) -> None:
    from qdrant_client import models

    points = [
        models.PointStruct(
            id=r.id,
            vector=[float(x) for x in r.vector],
            payload={"page_content": r.text, "metadata": dict(r.metadata) if r.metadata else None},
        )
        for r in records
    ]
    client.upsert(name, points=points)


def everything(client: Any, name: str) -> list[Record]:
    points, _ = client.scroll(name, limit=10_000, with_vectors=True)
    return [Record(str(p.id), p.payload["page_content"], p.payload["metadata"], p.vector) for p in points]


class TestLangChainQdrant(QdrantFixtures, LangChainSuite):
    """Exact search, local mode."""
