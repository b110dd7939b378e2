"""A loopback server that answers Qdrant's REST interface through a local-mode client, and fails as servers do.

It records every request. ``plan[operation]`` holds what the next requests of that operation meet instead of an answer;
operations are ``version``, ``collections``, ``collection``, ``aliases``, ``upsert``, ``retrieve``, ``scroll``, ``count``,
``delete`` and ``query``. Strict mode and the limit of a request's size are kept as a server keeps them.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from qdrant_client import QdrantClient, models

LIMIT = 32 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    operation: str
    method: str
    path: str
    query: dict[str, str]
    body: Any
    size: int
    headers: dict[str, str]


@dataclass(frozen=True)
class Fault:
    """What happens instead of the usual: ``apply`` how many points are done first (None: all), ``late`` seconds after.

    ``queue``: done just before the next write of anybody's, as a server does that was killed or cut off in between.
    ``status`` is put into the result of a write; ``code`` and ``error`` answer with an HTTP error; ``delay`` waits before
    the answer; ``cut`` closes the connection without one.
    """

    apply: int | None = 0
    late: float = 0.0
    queue: bool = False
    status: str | None = None
    code: int | None = None
    error: str = ""
    delay: float = 0.0
    cut: bool = False


@dataclass
class RefusalError(Exception):
    """An HTTP error in the form that Qdrant gives it."""

    code: int
    error: str
    plain: bool = False


@dataclass
class StandIn:
    """The server. ``client``: the store behind it. ``config``: laid over ``CollectionInfo.config``, as nested dictionaries."""

    version: str = "1.19.0"
    api_key: str | None = None
    config: dict[str, Any] = field(default_factory=dict)
    client: Any = field(default_factory=lambda: QdrantClient(":memory:"))
    requests: list[Request] = field(default_factory=list)
    queued: list[Request] = field(default_factory=list)
    plan: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def of(self, *operations: str) -> list[Request]:
        """The requests of some operations."""
        return [r for r in self.requests if r.operation in operations]

    def answer(self, request: Request) -> tuple[Any, Fault]:
        """The result of a request, and the fault it met."""
        fault = self.plan[request.operation].pop(0) if self.plan[request.operation] else Fault(apply=None)
        if self.api_key is not None and request.headers.get("api-key") != self.api_key:
            raise RefusalError(401, "Must provide an API key or an Authorization bearer token", plain=True)
        if request.size > LIMIT:
            text = f"Payload error: JSON payload ({request.size} bytes) is larger than allowed (limit: {LIMIT} bytes)."
            raise RefusalError(400, text)
        if request.operation in ("upsert", "delete"):
            queued, self.queued = self.queued, []
            for earlier in queued:
                self._do(earlier, None)
        if fault.queue:
            self.queued.append(request)
            result: Any = None
        elif fault.late:
            timer = threading.Timer(fault.late, lambda: self._do(request, None))
            timer.daemon = True
            timer.start()
            result = None
        else:
            result = self._do(request, fault.apply)
        if fault.status is not None:
            result = {"operation_id": 1, "status": fault.status}
        return result, fault

    def _do(self, request: Request, apply: int | None) -> Any:
        with self.lock:
            try:
                return _OPERATIONS[request.operation](self, request, apply)
            except ValueError as error:
                found = "not found" in str(error)
                raise RefusalError(
                    404 if found else 400, f"{'Not found' if found else 'Bad request'}: {error}"
                ) from None

    @property
    def strict(self) -> dict[str, Any]:
        settings = self.config.get("strict_mode_config", {})
        return settings if settings.get("enabled") else {}


def _name(request: Request) -> str:
    return unquote(request.path.split("/")[2])


def _check_strict(standin: StandIn, body: dict[str, Any]) -> None:
    limit, most = body.get("limit"), standin.strict.get("max_query_limit")
    if most and limit and limit > most:
        raise RefusalError(
            400, f'Bad request: Limit exceeded {limit} > {most} for "limit". Help: Reduce the "limit" parameter.'
        )
    if standin.strict.get("unindexed_filtering_retrieve") is False and body.get("filter"):
        condition = next(c for clause in body["filter"].values() if clause for c in clause)
        text = f'Bad request: Index required but not found for "{condition["key"]}" of one of the following types: [keyword]. '
        raise RefusalError(400, text + "Help: Create an index for this key or use a different filter.")


def _upsert(standin: StandIn, request: Request, apply: int | None) -> Any:
    given = models.PointsList.model_validate(request.body)
    most = standin.strict.get("upsert_max_batchsize")
    if most and len(given.points) > most:
        raise RefusalError(400, f'Bad request: Limit exceeded {len(given.points)} > {most} for "upsert limit".')
    points = given.points[:apply]
    if points:
        mode = {"update_mode": given.update_mode} if getattr(given, "update_mode", None) else {}  # clients from 1.17
        standin.client.upsert(_name(request), points, **mode)
    return {"operation_id": 1, "status": "completed"}


def _delete(standin: StandIn, request: Request, apply: int | None) -> Any:
    ids = request.body["points"][:apply]  # a filter is a KeyError, and so a bug in whoever sent it
    if ids:
        standin.client.delete(_name(request), ids)
    return {"operation_id": 2, "status": "completed"}


def _retrieve(standin: StandIn, request: Request, _apply: int | None) -> Any:
    body = request.body
    with_vectors = body.get("with_vector", False)
    found = standin.client.retrieve(
        _name(request), body["ids"], with_payload=body.get("with_payload", True), with_vectors=with_vectors
    )
    return [_json(record) for record in found]


def _scroll(standin: StandIn, request: Request, _apply: int | None) -> Any:
    body = request.body
    _check_strict(standin, body)
    only = models.Filter.model_validate(body["filter"]) if body.get("filter") else None
    page, cursor = standin.client.scroll(
        _name(request),
        scroll_filter=only,
        limit=body.get("limit") or 10,
        offset=body.get("offset"),
        with_payload=body.get("with_payload", True),
        with_vectors=body.get("with_vector", False),
    )
    return {"points": [_json(record) for record in page], "next_page_offset": cursor}


def _query(standin: StandIn, request: Request, _apply: int | None) -> Any:
    for search in request.body["searches"]:
        _check_strict(standin, search)
    asked = [models.QueryRequest.model_validate(search) for search in request.body["searches"]]
    return [_json(answer) for answer in standin.client.query_batch_points(_name(request), asked)]


def _asked(body: dict[str, Any]) -> dict[str, Any]:
    """What an application asks beside darnel's own batches: a vector, a filter, a limit."""
    only = models.Filter.model_validate(body["filter"]) if body.get("filter") else None
    return {
        "query": body["query"].get("nearest") if isinstance(body["query"], dict) else body["query"],
        "limit": body["limit"],
        "query_filter": only,
        "with_payload": body["with_payload"],
    }


def _collection(standin: StandIn, request: Request, _apply: int | None) -> Any:
    info = _json(standin.client.get_collection(_name(request)))
    return _overlay(info, {"config": standin.config})


def _overlay(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _overlay(known, value) if isinstance(value, dict) and isinstance(known, dict) else value
    return merged


def _json(model: Any) -> Any:
    return model.model_dump(mode="json", exclude_none=True)


_OPERATIONS: dict[str, Callable[[StandIn, Request, int | None], Any]] = {
    "aliases": lambda s, _r, _a: _json(s.client.get_aliases()),
    "collection": _collection,
    "collections": lambda s, _r, _a: _json(s.client.get_collections()),
    "count": lambda s, r, _a: _json(s.client.count(_name(r))),
    "delete": _delete,
    "query": _query,
    "query one": lambda s, r, _a: _json(s.client.query_points(_name(r), **_asked(r.body))),
    "retrieve": _retrieve,
    "scroll": _scroll,
    "upsert": _upsert,
}
_ROUTES = {
    ("GET", ""): "version",
    ("GET", "collections"): "collections",
    ("GET", "aliases"): "aliases",
    ("GET", "collections/*"): "collection",
    ("PUT", "collections/*/points"): "upsert",
    ("POST", "collections/*/points"): "retrieve",
    ("POST", "collections/*/points/scroll"): "scroll",
    ("POST", "collections/*/points/count"): "count",
    ("POST", "collections/*/points/delete"): "delete",
    ("POST", "collections/*/points/query"): "query one",
    ("POST", "collections/*/points/query/batch"): "query",
}


def _operation(method: str, path: str) -> str:
    parts = path.strip("/").split("/")
    if len(parts) > 1:
        parts[1] = "*"
    return _ROUTES.get((method, "/".join(parts)), f"{method} {path}")


def _handler(standin: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args: Any) -> None:
            pass

        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            raw = self.rfile.read(length)
            url = urlsplit(self.path)
            operation = _operation(self.command, url.path)
            headers = {k.lower(): v for k, v in self.headers.items()}
            body = json.loads(raw) if raw else None
            request = Request(operation, self.command, url.path, dict(parse_qsl(url.query)), body, length, headers)
            standin.requests.append(request)
            if operation == "version":
                fault = standin.plan["version"].pop(0) if standin.plan["version"] else Fault()
                if fault.code:
                    return self._send(fault.code, b"")
                return self._send(200, json.dumps({"title": "stand-in", "version": standin.version}).encode())
            try:
                result, fault = standin.answer(request)
            except RefusalError as refusal:
                text = refusal.error if refusal.plain else json.dumps({"status": {"error": refusal.error}, "time": 0.0})
                return self._send(refusal.code, text.encode())
            if fault.cut:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return None
            time.sleep(fault.delay)
            if fault.code:
                return self._send(fault.code, json.dumps({"status": {"error": fault.error}, "time": 0.0}).encode())
            return self._send(200, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode())

        def _send(self, code: int, content: bytes) -> None:
            try:
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # the client gave up waiting
                self.close_connection = True

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815

    return Handler
