"""Qdrant's local mode, in memory and on a folder, and the same through the stand-in server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

qdrant_client = pytest.importorskip("qdrant_client")

from darnel.adapters.qdrant import open_qdrant, qdrant_target  # noqa: E402
from darnel.adapters.spec import parse_spec  # noqa: E402
from darnel.core.corpus import Target  # noqa: E402
from darnel.embedders.base import Embedder  # noqa: E402
from darnel.testing import App, ConformanceSuite, Declared  # noqa: E402
from tests.adapters.qdrant.standin import StandIn  # noqa: E402

from .qdrant_store import NodeFixtures, Qdrant, QdrantFixtures, in_memory  # noqa: E402


class TestQdrantMemory(QdrantFixtures, ConformanceSuite):
    """In memory, LangChain's layout; only the application's own client reaches it."""

    declared: ClassVar[Declared] = Declared(free_ids=False, second_client=False)

    @pytest.fixture
    def store(self) -> Iterator[Qdrant]:
        with self.filled(in_memory()) as store:
            yield store


class TestQdrantNodes(NodeFixtures, ConformanceSuite):
    """In memory, LlamaIndex's layout."""

    declared: ClassVar[Declared] = Declared(free_ids=False, second_client=False)

    @pytest.fixture
    def store(self) -> Iterator[Qdrant]:
        with self.filled(in_memory()) as store:
            yield store


class TestQdrantFolder(QdrantFixtures, ConformanceSuite):
    """On a folder, which lets one client in."""

    declared: ClassVar[Declared] = Declared(free_ids=False, second_client=False)

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Qdrant]:
        with self.filled(qdrant_client.QdrantClient(path=str(tmp_path / "data"))) as store:
            yield store


class TestQdrantServed(QdrantFixtures, ConformanceSuite):
    """Over REST, answered by the stand-in."""

    @pytest.fixture
    def store(self) -> Iterator[Qdrant]:
        server = StandIn()
        client = qdrant_client.QdrantClient(url=server.url, check_compatibility=False)
        with self.filled(client, server.client) as store:
            yield store
        server.close()

    def reopen(self, store: Any, embedder: Embedder | None) -> Target:
        return open_qdrant(parse_spec(f"qdrant:{store.client._client.rest_uri}#{store.name}"), embedder)

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        pytest.skip("the stand-in creates no collection")
        return qdrant_target(store.client, "empty", embedder)

    def second_app(self, store: Any) -> App:
        other = qdrant_client.QdrantClient(url=store.client._client.rest_uri, check_compatibility=False)
        return self.app(Qdrant(other))
