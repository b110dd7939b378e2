"""Fixtures for the Qdrant adapter: real local mode, and a stand-in server whose every request is checked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from darnel.core.planting.ledger import Ledger
from tests.adapters.qdrant import openapi, support
from tests.adapters.qdrant.standin import StandIn


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings or the ledger of whoever runs it, and none leaves a file behind."""
    for name in [n for n in os.environ if n.startswith("DARNEL_") and n != "DARNEL_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DARNEL_LEDGER", str(tmp_path / "ledger.db"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


@pytest.fixture(params=["memory", "path"])
def local(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A client in local mode, in memory and on a folder."""
    client = QdrantClient(":memory:") if request.param == "memory" else QdrantClient(path=str(tmp_path / "db"))
    yield client
    client.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A local-mode folder with 40 LangChain-shaped points in ``docs``, closed."""
    client = QdrantClient(path=str(tmp_path / "db"))
    support.fill(client)
    client.close()
    return tmp_path / "db"


@pytest.fixture
def standin() -> Iterator[StandIn]:
    """A stand-in server with 40 LangChain-shaped points in ``docs``; on the way out, every request it got is checked."""
    server = StandIn()
    support.fill(server.client)
    yield server
    server.close()
    if openapi.description_path() is not None:
        for request in server.requests:
            openapi.check(request.method, request.path, request.query, request.body)
