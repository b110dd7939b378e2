"""The application's Chroma clients, each with one of another tenant's, opened once for all tests."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.support import chroma


@pytest.fixture(scope="session")
def chroma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chroma")


@pytest.fixture(scope="session")
def embedded_clients(chroma_folder: Path) -> tuple[Any, Any]:
    return with_tenant(lambda **kw: chroma.persistent(chroma_folder, **kw))


@pytest.fixture(scope="session")
def served_clients(server: int) -> tuple[Any, Any]:
    import chromadb

    return with_tenant(lambda **kw: chromadb.HttpClient("127.0.0.1", server, settings=chroma.settings(), **kw))


@pytest.fixture(scope="session")
def memory_clients() -> tuple[Any, Any]:
    """Quick enough for the suite to run against every broken adapter."""
    import chromadb

    return with_tenant(lambda **kw: chromadb.EphemeralClient(chroma.settings(), **kw))


def with_tenant(connect: Any) -> tuple[Any, Any]:
    import chromadb

    client, tenant = connect(), f"other-{uuid.uuid4().hex[:8]}"
    admin = chromadb.AdminClient(client.get_settings())
    admin.create_tenant(tenant)
    admin.create_database("default_database", tenant)
    return client, connect(tenant=tenant)
