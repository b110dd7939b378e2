"""Open a Chroma collection without creating, migrating or disturbing anything."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from darnel.adapters.checks import vector_checks
from darnel.adapters.chroma.corpus import ChromaCorpus
from darnel.adapters.folder import FolderLock, others_with_open, refuse_locked
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Check, Target
from darnel.core.errors import ContainerMissingError, TargetError, UnreachableError, UsageError, describe_error
from darnel.embedders.base import Embedder

DATABASE_FILE = "chroma.sqlite3"
PARAMETERS = ("tenant", "database")
LOCK_WAIT = 600.0
"""Seconds to wait for another darnel that works on the same folder."""
BUSY_WAIT = 10.0
"""Seconds to wait for another process that writes; chromadb would wait 1,000, and hold up the whole process meanwhile."""
TOKEN_VARIABLE = "DARNEL_CHROMA_TOKEN"  # noqa: S105  # no secret: the name of the variable that holds it


def open_chroma(spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True) -> Target:
    """Open ``chroma:./folder#collection`` or ``chroma:http://host:port#collection``.

    ``?tenant=`` and ``?database=`` choose a namespace. Over HTTP a user and password in the URL are sent as basic
    authentication, and ``$DARNEL_CHROMA_TOKEN`` as a bearer token. With ``exclusive``, other darnel processes that want
    the same folder wait until the target is closed.

    Raises:
        UsageError: the collection is not named.
        TargetError: folder, server, tenant or collection is missing.
    """
    if not spec.container:
        raise UsageError(f"name the collection: {spec.redacted}#NAME")
    spec.check_parameters(PARAMETERS)
    tenant = spec.parameters.get("tenant", "default_tenant")
    database = spec.parameters.get("database", "default_database")
    folder = None if spec.is_url else _existing_folder(spec.where)
    with ExitStack() as undo:
        if folder and exclusive:
            lock = FolderLock(folder, wait=LOCK_WAIT)
            lock.acquire()
            undo.callback(lock.release)
        client = _open_folder(folder, tenant, database) if folder else _connect(spec, tenant, database)
        undo.callback(_closer(client))
        collection = _find(client, spec)
        follower = _Follower(folder, spec, client)
        undo.callback(follower.close)
        close = undo.pop_all().close
    return chroma_target(collection, embedder, spec=spec.absolute, folder=folder, close=close, switch=follower)


class _Follower:
    """Gives a folder's collection through the client that this process's application has opened since, if it has.

    The clients it opens share the application's system; ``close`` closes them.
    """

    def __init__(self, folder: Path | None, spec: TargetSpec, client: Any) -> None:
        self._folder, self._spec, self._first = folder, spec, client
        self._clients: list[Any] = []

    def __call__(self) -> Any:
        """The collection, or None where there is no client but those that are known."""
        if self._folder is None:
            return None
        known = {client._identifier for client in (self._first, *self._clients)}
        if _system(self._folder, known) is None:
            return None
        client = _open_folder(self._folder, self._first.tenant, self._first.database, known)
        self._clients.append(client)
        return _find(client, self._spec)

    def close(self) -> None:
        """Let go of the application's systems."""
        while self._clients:
            _closer(self._clients.pop())()


def chroma_target(
    collection: Any,
    embedder: Embedder | None = None,
    *,
    spec: str = "",
    folder: Path | None = None,
    close: Callable[[], None] = lambda: None,
    switch: Callable[[], Any] = lambda: None,
) -> Target:
    """A target from a collection object, used through its own client."""
    corpus = ChromaCorpus(collection, embedder, switch=switch)
    return Target(
        injector=corpus,
        retriever=corpus,
        reader=corpus,
        spec=spec,
        checks=lambda: [*folder_checks(folder), *vector_checks(corpus, corpus, embedder)],
        close=close,
        host=host_of(collection),
    )


def host_of(collection: Any) -> str:
    """The server behind a collection; empty for a folder or memory."""
    settings = getattr(collection._client, "_settings", None)
    given = str(getattr(settings, "chroma_server_host", None) or "")
    return (urlsplit(given).hostname or "") if "://" in given else given


def _existing_folder(where: str) -> Path:
    try:
        folder = Path(where).expanduser().resolve()
        there = (folder / DATABASE_FILE).is_file()
    except OSError as error:  # a name too long, no permission
        raise ContainerMissingError(f"cannot look into {where}: {error.strerror}; check the path") from None
    if not there:
        raise ContainerMissingError(f"no Chroma database in {folder} ({DATABASE_FILE} is not there); check the path")
    return folder


def _open_folder(folder: Path, tenant: str, database: str, but: Collection[str] = ()) -> Any:
    import chromadb

    path, settings = _settings(folder, but)
    try:
        return chromadb.PersistentClient(path, settings=settings, tenant=tenant, database=database)
    except Exception as error:  # chromadb raises ValueError, its own errors and the core's
        raise _refusal(error, str(folder)) from error


def _refusal(error: Exception, where: str) -> TargetError:
    """What keeps a client from being opened, with what to do."""
    if type(error).__name__ == "NotFoundError":
        return ContainerMissingError(
            f"{where} has no such place: {describe_error(error)}; check ?tenant= and &database="
        )
    if "could not connect to a chroma server" in str(error).lower():
        return UnreachableError(f"no Chroma server answers at {where}; start it, or check host and port")
    return TargetError(f"cannot open {where}: {describe_error(error)}")


def _system(folder: Path, but: Collection[str] = ()) -> tuple[str, Any] | None:
    """The path, as it was spelled, and the system that this process has on a folder, but not under these spellings."""
    from chromadb.api.shared_system_client import SharedSystemClient

    for path, system in list(SharedSystemClient._identifier_to_system.items()):
        if path in but or not system.settings.is_persistent or Path(path).resolve() != folder:
            continue
        # a relative path may have been opened from another folder than the current one
        if Path(path).is_absolute() or _holds_the_same(system, folder):
            return path, system
    return None


def _holds_the_same(system: Any, folder: Path) -> bool:
    """Whether a system shows a collection that is in the folder's file, by its UUID."""
    from chromadb.api import ServerAPI

    try:
        shown = {str(collection.id) for collection in system.instance(ServerAPI).list_collections()}
        with closing(sqlite3.connect(f"{(folder / DATABASE_FILE).as_uri()}?mode=ro", uri=True)) as file:
            return bool(shown.intersection(str(id_) for (id_,) in file.execute("SELECT id FROM collections")))
    except Exception:  # chromadb's, of a folder that is gone; or the file is busy
        return False


def _settings(folder: Path, but: Collection[str] = ()) -> tuple[str, Any]:
    """The path and settings to open a folder with: those of a client that this process already has on it, if any.

    Chroma keeps one system for each path as it was spelled, and refuses a second client with other settings; sharing
    that system is also the only way to see what the application sees. A system of darnel's own is spelled as nobody else
    spells it, so that an application can open the folder later with settings of its own.
    """
    from chromadb.config import Settings

    if (found := _system(folder, but)) is not None:
        return found[0], found[1].settings
    refuse_locked(folder / DATABASE_FILE, wait=BUSY_WAIT)
    # "validate" refuses a database of another schema version where the default would migrate it
    return f"{folder}{os.sep}.", Settings(anonymized_telemetry=False, migrations="validate")


def _connect(spec: TargetSpec, tenant: str, database: str) -> Any:
    import chromadb
    from chromadb.config import Settings

    url = urlsplit(spec.where)
    try:
        return chromadb.HttpClient(
            host=url.hostname or "localhost",
            port=url.port or (443 if url.scheme == "https" else 8000),
            ssl=url.scheme == "https",
            headers=_headers(url.username, url.password),
            settings=Settings(anonymized_telemetry=False),
            tenant=tenant,
            database=database,
        )
    except Exception as error:
        raise _refusal(error, spec.redacted) from error


def _closer(client: Any) -> Callable[[], None]:
    """What lets go of a client; clients before 1.1 have no ``close`` and go with the process."""
    return getattr(client, "close", lambda: None)


def _headers(user: str | None, password: str | None) -> dict[str, str]:
    import base64

    if user:
        pair = f"{unquote(user)}:{unquote(password or '')}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    token = os.environ.get(TOKEN_VARIABLE)
    return {"Authorization": f"Bearer {token}"} if token else {}


def _find(client: Any, spec: TargetSpec) -> Any:
    try:
        # the embedding function is never used: darnel always sends vectors
        return client.get_collection(spec.container, embedding_function=None)
    except Exception as error:
        if type(error).__name__ == "NotFoundError":
            names = sorted(c.name for c in client.list_collections())[:10]
            there = f"there are: {', '.join(names)}" if names else "it holds none"
            raise ContainerMissingError(f"no collection '{spec.container}' in {spec.redacted}; {there}") from None
        raise TargetError(f"cannot open {spec.redacted}: {describe_error(error)}") from error


def folder_checks(folder: Path | None) -> list[Check]:
    """A second client on a folder reads stale results; say so always, and who it is where that can be seen."""
    if folder is None:
        return []
    others = others_with_open(folder / DATABASE_FILE)
    if others:
        detail = (
            f"{', '.join(others)} has {folder} open too: it may serve a plant after its removal until it is restarted"
        )
        return [
            Check("second client", None, detail, "Restart it after the run, or test through 'chroma run' and its URL.")
        ]
    detail = f"{folder} is opened directly; a process that opened it too would read stale results"
    return [Check("second client", None, detail, "None is seen now; do not start the application during the run.")]
