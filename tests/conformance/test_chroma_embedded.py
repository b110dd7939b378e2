"""Chroma in a folder: the application's client, and those that darnel opens on the same path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from darnel.testing import App, ConformanceSuite

from .chroma_store import Chroma, ChromaFixtures, asking


class EmbeddedFixtures(ChromaFixtures):
    @pytest.fixture
    def store(self, embedded_clients: tuple[Any, Any], chroma_folder: Path) -> Iterator[Chroma]:
        with self.filled(embedded_clients, chroma_folder) as store:
            yield store

    def second_app(self, store: Any) -> App:
        import chromadb

        settings, tenant = store.client.get_settings(), store.client.tenant
        client = chromadb.PersistentClient(settings.persist_directory, settings, tenant=tenant)
        return asking(client.get_collection(store.collection.name))


class TestChromaEmbedded(EmbeddedFixtures, ConformanceSuite):
    """Every promise; a second client in this process shares the first one's state, which is how Chroma has it."""
