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
    return two_tenants(lambda **kw: chroma.persistent(chroma_folder, **kw))


@pytest.fixture(scope="session")
def served_clients(server: int) -> tuple[Any, Any]:
    import chromadb

    return two_tenants(lambda **kw: chromadb.HttpClient("127.0.0.1", server, settings=chroma.settings(), **kw))


@pytest.fixture(scope="session")
def memory_clients() -> tuple[Any, Any]:
    """Quick enough for the suite to run against every broken adapter."""
    import chromadb

    return two_tenants(lambda **kw: chromadb.EphemeralClient(chroma.settings(), **kw))


def two_tenants(connect: Any) -> tuple[Any, Any]:
    """Of this suite's own, since other tests may use the same store."""
    import chromadb

    admin, names = chromadb.AdminClient(connect().get_settings()), []
    for kind in ("own", "other"):
        names.append(f"{kind}-{uuid.uuid4().hex[:8]}")
        admin.create_tenant(names[-1])
        admin.create_database("default_database", names[-1])
    return connect(tenant=names[0]), connect(tenant=names[1])
