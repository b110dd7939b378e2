"""Open a Qdrant collection without creating a folder, a collection or anything in one."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode, urlsplit

from darnel.adapters.folder import FolderLock
from darnel.adapters.qdrant.checks import target_checks
from darnel.adapters.qdrant.corpus import QdrantCorpus
from darnel.adapters.qdrant.faults import StoreError, call
from darnel.adapters.qdrant.folders import existing_folder, open_folder
from darnel.adapters.qdrant.options import API_KEY_VARIABLE, QdrantOptions, parse_options
from darnel.adapters.qdrant.place import Place, gate, locate
from darnel.adapters.spec import TargetSpec, is_loopback
from darnel.core.corpus import Target
from darnel.core.errors import ContainerMissingError, TargetError, UnreachableError, UsageError, describe_error
from darnel.embedders.base import Embedder

LOCK_WAIT = 600.0
"""Seconds to wait for another darnel that works on the same folder."""
TIMEOUT = 30
"""Seconds a server gets for one request; the client's own default is 5."""


def open_qdrant(spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True) -> Target:
    """Open ``qdrant:./folder#collection`` or ``qdrant:http://host:port#collection``.

    Parameters are those of ``QdrantOptions``, and for a server ``?grpc=1``, ``?grpc_port=`` and ``?timeout=`` (seconds).
    ``$DARNEL_QDRANT_API_KEY`` is sent where it is set. With ``exclusive``, other darnel processes that want the same
    folder wait until the target is closed.

    Raises:
        UsageError: the collection is not named, or a parameter is none.
        TargetError: folder, server or collection is missing, or another process has the folder.
    """
    if not spec.container:
        raise UsageError(f"name the collection: {spec.redacted}#NAME")
    if spec.where == ":memory:":
        raise UsageError("an in-memory Qdrant lives in its own process; from Python, give (client, 'collection')")
    options = parse_options(spec)
    with ExitStack() as undo:
        if spec.is_url:
            client = _connect(spec)
            undo.callback(client.close)
        else:
            folder = existing_folder(spec.where)
            if exclusive:
                lock = FolderLock(folder, wait=LOCK_WAIT)
                lock.acquire()
                undo.callback(lock.release)
            client = open_folder(folder, undo)
        return _target(client, spec.container, embedder, options, dict(spec.parameters), undo)


def qdrant_target(
    client: Any,
    collection: str,
    embedder: Embedder | None = None,
    *,
    options: QdrantOptions | None = None,
    close: Callable[[], None] = lambda: None,
    **given: Any,
) -> Target:
    """A target from the application's own client, of any kind, and the name of its collection.

    Args:
        client: a ``QdrantClient``; it is not closed.
        collection: its name, or an alias of it.
        embedder: the application's.
        options: how the application uses the collection, where that cannot be learned.
        close: called when the target is closed.
        given: the fields of ``QdrantOptions``, in place of ``options``: ``vector=``, ``sparse=``, ``text=``, ...

    Raises:
        UsageError: the client is asynchronous or none.
        TargetError: the server does not answer, or the collection is missing.
    """
    options = options or QdrantOptions(**given)
    with ExitStack() as undo:
        undo.callback(close)
        return _target(client, collection, embedder, options, options.parameters, undo)


def _target(
    client: Any,
    collection: str,
    embedder: Embedder | None,
    options: QdrantOptions,
    parameters: dict[str, str],
    undo: ExitStack,
) -> Target:
    place = locate(client)
    with gate(client):
        name = _find(client, collection, place)
    corpus = QdrantCorpus(client, name, embedder, options)
    spec = _spec(place, name, parameters)
    return Target(
        injector=corpus,
        retriever=corpus,
        reader=corpus,
        spec=spec,
        checks=lambda: target_checks(corpus),
        close=undo.pop_all().close,
    )


def _spec(place: Place, collection: str, parameters: dict[str, str]) -> str:
    if not place.where:
        return ""
    query = urlencode({**parameters, **dict(place.parameters)})
    return f"qdrant:{place.where}{'?' if query else ''}{query}#{collection}"


def _connect(spec: TargetSpec) -> Any:
    from qdrant_client import QdrantClient

    url = urlsplit(spec.where)
    if url.scheme not in ("http", "https"):
        raise UsageError(f"{spec.redacted}: a Qdrant server is named by http:// or https://; for gRPC add ?grpc=1")
    if url.username or url.password:
        raise UsageError(f"{spec.redacted}: Qdrant takes no password; put its API key in ${API_KEY_VARIABLE}")
    try:
        with warnings.catch_warnings():
            if is_loopback(url.hostname or ""):
                warnings.filterwarnings("ignore", message="Api key is used with an insecure connection")
            return QdrantClient(
                url=spec.where,
                api_key=os.environ.get(API_KEY_VARIABLE) or None,
                prefer_grpc=spec.parameters.get("grpc", "0") not in ("0", "false", "no"),
                grpc_port=_number(spec, "grpc_port", 6334),
                timeout=_number(spec, "timeout", TIMEOUT),
                check_compatibility=False,  # it asks in a thread and warns; the version is read where it matters
            )
    except ValueError as error:
        raise UsageError(f"{spec.redacted}: {describe_error(error)}") from None


def _number(spec: TargetSpec, name: str, default: int) -> int:
    text = spec.parameters.get(name, str(default))
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"?{name}={text}: expected a whole number above 0")
    return int(text)


def _find(client: Any, collection: str, place: Place) -> str:
    """The collection's own name, once it is known to be there.

    An alias is resolved here: were it kept, a switch during a run would hide what was planted.
    """
    shown = place.where or "this client"
    try:
        call(client.get_collection, collection)
    except ContainerMissingError:
        there = _names(client)
        raise ContainerMissingError(f"no collection '{collection}' in {shown}; {there}") from None
    except StoreError as error:
        if error.reached:
            raise TargetError(f"cannot open {shown}: {error}") from error
        raise UnreachableError(f"no Qdrant server answers at {shown}; start it, or check host and port") from None
    try:
        aliases = {alias.alias_name: alias.collection_name for alias in client.get_aliases().aliases}
    except Exception:  # a key for one collection may not list aliases
        return collection
    return str(aliases.get(collection, collection))


def _names(client: Any) -> str:
    try:
        names = sorted(c.name for c in call(client.get_collections).collections)[:10]
    except Exception:  # a key for one collection may not list them
        return "check its name"
    return f"there are: {', '.join(names)}" if names else "it holds none"
