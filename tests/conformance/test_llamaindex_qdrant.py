"""LlamaIndex over Qdrant's local mode; the native client is qdrant-client's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest

from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import ConformanceSuite, Declared

from .llamaindex_store import LlamaIndexApp, LlamaIndexFixtures, flat_record, node

qdrant_client = pytest.importorskip("qdrant_client", reason="needs qdrant-client; run: pip install qdrant-client")
home = pytest.importorskip(
    "llama_index.vector_stores.qdrant",
    reason="needs llama-index-vector-stores-qdrant; run: pip install llama-index-vector-stores-qdrant",
)


class LlamaIndexQdrantFixtures(LlamaIndexFixtures):
    declared: ClassVar[Declared] = Declared(free_ids=False, second_client=False)
    patience: ClassVar[float] = 0.2

    @pytest.fixture
    def store(self) -> Iterator[LlamaIndexApp]:
        client = qdrant_client.QdrantClient(":memory:")
        store, beside = self.over(client, "docs"), self.over(client, "docs-too")
        for app, records in ((store, self.records()), (beside, self.neighbour_records())):
            app.index.insert_nodes([node(r) for r in records])
        yield store
        client.close()

    def over(self, client: Any, name: str) -> LlamaIndexApp:
        models = qdrant_client.models
        if not client.collection_exists(name):
            # dot product: of a cosine collection, local mode gives no vector back twice the same
            size = self.embedder().dimension
            client.create_collection(name, models.VectorParams(size=size, distance=models.Distance.DOT))
        return self.made(home.QdrantVectorStore(name, client=client), native=client)

    def open_missing(self, store: Any) -> Target:
        return self.open(self.made(home.QdrantVectorStore("not there", client=store.native)), self.embedder())

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return self.open(self.over(store.native, "empty"), embedder)

    def witness(self, store: Any) -> list[Record]:
        return everything(store.native, "docs")

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.index.delete_nodes(list(ids))

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {"sibling": everything(store.native, "docs-too")}

    def structure(self, store: Any) -> object:
        names = sorted(c.name for c in store.native.get_collections().collections)
        found = [(name, store.native.get_collection(name)) for name in names]
        context = store.context
        beside = context.docstore.to_dict(), context.index_store.to_dict()
        return [(name, info.config.model_dump(), info.payload_schema) for name, info in found], beside


def everything(client: Any, name: str) -> list[Record]:
    points, _cursor = client.scroll(name, limit=10_000, with_payload=True, with_vectors=True)
    return [flat_record(str(p.id), p.payload, p.vector) for p in points]


class TestLlamaIndexQdrant(LlamaIndexQdrantFixtures, ConformanceSuite):
    """Exact search, in memory."""
