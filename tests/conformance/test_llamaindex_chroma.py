"""LlamaIndex over Chroma in a folder; the native client is chromadb's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import App, ConformanceSuite

from .chroma_store import ChromaFixtures
from .llamaindex_store import LlamaIndexApp, LlamaIndexFixtures, asking, flat_record, node

home = pytest.importorskip(
    "llama_index.vector_stores.chroma",
    reason="needs llama-index-vector-stores-chroma; run: pip install llama-index-vector-stores-chroma",
)


class LlamaIndexChromaFixtures(LlamaIndexFixtures):
    @pytest.fixture
    def store(self, embedded_clients: tuple[Any, Any], chroma_folder: Path) -> Iterator[LlamaIndexApp]:
        with ChromaFixtures().filled(embedded_clients, chroma_folder) as chroma:
            chroma.collection.delete(ids=chroma.collection.get(include=[])["ids"])  # it is filled through LlamaIndex
            store = self.over(chroma.collection, native=chroma)
            store.index.insert_nodes([node(r) for r in self.records()])
            yield store

    def over(self, collection: Any, **native: Any) -> LlamaIndexApp:
        return self.made(home.ChromaVectorStore(chroma_collection=collection), **native)

    def open_missing(self, store: Any) -> Target:
        """LlamaIndex is given a collection; this one was taken away since."""
        client = store.native.client
        made = self.over(client.create_collection("not-there", embedding_function=None))
        client.delete_collection("not-there")
        return self.open(made, self.embedder())

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return self.open(self.over(store.native.client.create_collection("empty", embedding_function=None)), embedder)

    def witness(self, store: Any) -> list[Record]:
        found = store.native.collection.get(include=["documents", "metadatas", "embeddings"])
        rows = zip(*(found[name] for name in ("ids", "metadatas", "embeddings", "documents")), strict=True)
        return [flat_record(*row) for row in rows]

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.index.delete_nodes(list(ids))

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return ChromaFixtures().neighbours(store.native)

    def structure(self, store: Any) -> object:
        context = store.context
        beside = context.docstore.to_dict(), context.index_store.to_dict()
        return ChromaFixtures().structure(store.native), beside

    def second_app(self, store: Any) -> App:
        import chromadb

        settings, tenant = store.native.client.get_settings(), store.native.client.tenant
        client = chromadb.PersistentClient(settings.persist_directory, settings, tenant=tenant)
        return asking(self.over(client.get_collection(store.native.collection.name)).index)


class TestLlamaIndexChroma(LlamaIndexChromaFixtures, ConformanceSuite):
    """Approximate search, embedded."""
