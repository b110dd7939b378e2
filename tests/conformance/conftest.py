"""Real Chroma, embedded and served, each started once."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

START_WITHIN = 60.0


@pytest.fixture(scope="session")
def chroma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("chroma")


@pytest.fixture(scope="session")
def embedded_clients(chroma_folder: Path) -> tuple[Any, Any]:
    """The application's client on a folder, and one of another tenant's."""
    chromadb = pytest.importorskip("chromadb")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return with_tenant(lambda **kw: chromadb.PersistentClient(chroma_folder, settings=settings, **kw))


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of ``chroma run``, on a free port of this machine."""
    chromadb = pytest.importorskip("chromadb")
    folder = tmp_path_factory.mktemp("served")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = "import sys; from chromadb.cli.cli import app; sys.argv[0] = 'chroma'; app()"
    arguments = ["run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen([sys.executable, "-c", start, *arguments], stdout=log, stderr=log, cwd=folder)
    try:
        deadline = time.monotonic() + START_WITHIN
        while not _answers(chromadb, port):
            assert server.poll() is None, (folder / "server.log").read_text()
            assert time.monotonic() < deadline, "chroma run did not answer"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.fixture(scope="session")
def served_clients(chroma_url: str) -> tuple[Any, Any]:
    """The same as ``embedded_clients``, over HTTP."""
    import chromadb

    host, port = chroma_url.removeprefix("http://").split(":")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    return with_tenant(lambda **kw: chromadb.HttpClient(host=host, port=int(port), settings=settings, **kw))


def with_tenant(connect: Any) -> tuple[Any, Any]:
    import chromadb

    client = connect()
    admin = chromadb.AdminClient(client.get_settings())
    admin.create_tenant("other")
    admin.create_database("default_database", "other")
    return client, connect(tenant="other")


def _answers(chromadb: Any, port: int) -> bool:
    try:
        chromadb.HttpClient(host="127.0.0.1", port=port).heartbeat()
    except Exception:
        return False
    return True
