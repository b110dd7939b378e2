"""Chroma behind ``chroma run``: the application's client, and those that darnel opens by URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from darnel.testing import App, ConformanceSuite

from .chroma_store import Chroma, ChromaFixtures, asking


class ServedFixtures(ChromaFixtures):
    @pytest.fixture
    def store(self, served_clients: tuple[Any, Any], server: int) -> Iterator[Chroma]:
        with self.filled(served_clients, f"http://127.0.0.1:{server}") as store:
            yield store

    def second_app(self, store: Any) -> App:
        import chromadb

        host, port = store.client.get_settings().chroma_server_host, store.client.get_settings().chroma_server_http_port
        client = chromadb.HttpClient(host, port, tenant=store.client.tenant)
        return asking(client.get_collection(store.collection.name))


class TestChromaHTTP(ServedFixtures, ConformanceSuite):
    """Every promise, each client a connection of its own."""
