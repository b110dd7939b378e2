"""Chroma as its owner sees it: building, and an independent witness that knows nothing of darnel."""

from __future__ import annotations

import hashlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from darnel.core.corpus import Record

COLLECTION = "docs"
SPACE = {"hnsw": {"space": "cosine"}}


def settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def persistent(folder: Path, **where: str) -> Any:
    import chromadb

    return chromadb.PersistentClient(str(folder), settings=settings(), **where)


def fill(client: Any, records: Sequence[Record], name: str = COLLECTION) -> Any:
    """A new collection with these records, written as an application would."""
    collection = client.create_collection(name, embedding_function=None, configuration=SPACE)
    if records:
        collection.add(
            ids=[r.id for r in records],
            documents=[r.text for r in records],
            metadatas=[dict(r.metadata) if r.metadata else None for r in records],
            embeddings=[np.asarray(r.vector) for r in records],
        )
    return collection


def build(folder: Path, records: Sequence[Record], name: str = COLLECTION) -> None:
    """A Chroma folder holding one collection; nobody has it open afterwards."""
    client = persistent(folder)
    fill(client, records, name)
    client.close()


def everything(collection: Any) -> dict[str, str]:
    """Each record's digest by its id: text, metadata, and the vector's float32 bytes."""
    found = collection.get(include=["documents", "metadatas", "embeddings"])
    out = {}
    rows = zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True)
    for id_, text, metadata, vector in rows:
        hashed = hashlib.sha256(json.dumps([id_, text, metadata], sort_keys=True).encode())
        hashed.update(np.asarray(vector, dtype="<f4").tobytes())
        out[id_] = hashed.hexdigest()
    return out


def kit_records(collection: Any) -> list[str]:
    """Ids of all records that carry anything of the kit: its key, its stamp, or a marker in the text."""
    found = collection.get(include=["documents", "metadatas"])
    rows = zip(found["ids"], found["documents"], found["metadatas"], strict=True)
    return [i for i, text, metadata in rows if "darnel" in (metadata or {}) or "darnel-" in (text or "")]


@contextmanager
def reading(folder: Path, name: str = COLLECTION) -> Iterator[Any]:
    """The collection through a client of the test's own, closed afterwards."""
    client = persistent(folder)
    try:
        yield client.get_collection(name, embedding_function=None)
    finally:
        client.close()


def files(folder: Path) -> list[str]:
    """Every file below a folder; SQLite's own side files, which come and go with a client, are left out."""
    found = (str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    return sorted(name for name in found if not name.endswith(("-wal", "-shm", "-journal")))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def chroma_server(folder: Path) -> Iterator[int]:
    """A real ``chroma run`` on a free loopback port; yields the port."""
    for _attempt in range(3):  # another program may take the port before the server does
        port = free_port()
        server = _start_server(folder, port)
        if _answers(server, port):
            break
    else:
        raise RuntimeError("no Chroma server could be started")
    try:
        yield port
    finally:
        server.kill()
        server.wait()


def _start_server(folder: Path, port: int) -> subprocess.Popen[bytes]:
    program = Path(sys.executable).parent / "chroma"
    command = [str(program), "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until it does; False where it ends first, or takes more than two minutes."""
    import chromadb

    deadline = time.monotonic() + 120
    while server.poll() is None and time.monotonic() < deadline:
        try:
            chromadb.HttpClient("127.0.0.1", port, settings=settings()).close()
        except Exception:
            time.sleep(0.05)
        else:
            return server.poll() is None
    server.kill()
    server.wait()
    return False


def ephemeral_client() -> Any:
    """An in-memory client; a process has one such store, and Chroma refuses to open it with other settings."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.EphemeralClient(Settings(anonymized_telemetry=False))
