"""Where a client's collections live: a folder, this process's memory, or a server."""

from __future__ import annotations

import threading
import uuid
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from darnel.adapters.spec import is_loopback
from darnel.core.errors import UsageError

_memories: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
_gates: WeakKeyDictionary[Any, AbstractContextManager[Any]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Place:
    """``identity`` tells places apart; ``where`` and ``parameters`` reopen one, ``where`` empty if nothing can."""

    identity: str
    where: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    local: bool = False
    volatile: bool = False


def locate(client: Any) -> Place:
    """Find out where a ``QdrantClient`` goes.

    Raises:
        UsageError: it is the asynchronous client, or no client of Qdrant's.
    """
    if type(client).__name__.startswith("Async"):
        raise UsageError("give the synchronous QdrantClient: an asynchronous one cannot be driven from here")
    inner: Any = getattr(client, "_client", None)  # no public way tells a local client from a remote one
    if hasattr(inner, "rest_uri"):
        parameters = (("grpc", "1"), ("grpc_port", str(inner._grpc_port))) if inner._prefer_grpc else ()
        return Place(_normal(inner.rest_uri), inner.rest_uri.rstrip("/"), parameters)
    if not hasattr(inner, "location"):
        raise UsageError(f"a {type(client).__name__} is no QdrantClient; give (client, 'collection')")
    if inner.persistent:
        folder = str(Path(inner.location).resolve())
        return Place(folder, folder, local=True)
    return Place(_memories.setdefault(inner, f"memory-{uuid.uuid4()}"), local=True, volatile=True)


def gate(client: Any) -> AbstractContextManager[Any]:
    """Lets one thread at a time at a local client: they share its arrays and its one SQLite connection."""
    inner = getattr(client, "_client", None)
    return nullcontext() if hasattr(inner, "rest_uri") else _gates.setdefault(inner, threading.RLock())


def _normal(url: str) -> str:
    """One spelling for every name of this machine."""
    parts = urlsplit(url)
    host = "localhost" if is_loopback(parts.hostname or "") else parts.hostname
    return f"{parts.scheme}://{host}:{parts.port}{parts.path.rstrip('/')}"
