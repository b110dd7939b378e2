"""langchain-chroma over a folder; the native client is chromadb's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from darnel.core.corpus import Target
from darnel.embedders.base import Embedder

from .chroma_store import Chroma, ChromaFixtures
from .langchain_store import Embeddings, LangChainFixtures, LangChainSuite, Words

home = pytest.importorskip("langchain_chroma", reason="needs langchain-chroma; run: pip install langchain-chroma")


class LangChainChromaFixtures(LangChainFixtures, ChromaFixtures):
    @pytest.fixture
    def store(self, embedded_clients: tuple[Any, Any], chroma_folder: Path) -> Iterator[Chroma]:
        with self.filled(embedded_clients, chroma_folder) as store:
            yield store

    def vectorstore(self, store: Any, embeddings: Embeddings | None) -> Any:
        return home.Chroma(store.collection.name, embeddings, client=store.client)

    def reopen(self, store: Any, embedder: Embedder | None) -> Target:
        return self.open(store, embedder)

    def open_missing(self, store: Any) -> Target:
        """LangChain's constructor makes what is missing; this one was taken away since."""
        made = home.Chroma("not-there", Words(self.embedder()), client=store.client)
        store.client.delete_collection("not-there")
        from darnel.adapters.langchain import langchain_target

        return langchain_target(made)

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        from darnel.adapters.langchain import langchain_target

        return langchain_target(home.Chroma("empty", Words(embedder), client=store.client))


class TestLangChainChroma(LangChainChromaFixtures, LangChainSuite):
    """Approximate search, embedded."""
