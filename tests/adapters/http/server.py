"""A RAG application behind HTTP that does as its path says; it knows nothing of darnel."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Search = Callable[[str], list[dict[str, Any]]]


class App(ThreadingHTTPServer):
    """``seen``: method, path, headers and body of each request."""

    daemon_threads = True

    def __init__(self, search: Search) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.search = search
        self.seen: list[tuple[str, str, dict[str, str], Any]] = []
        self.failures = 0
        self.stuck = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: App

    def log_message(self, *_args: object) -> None: ...

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        self._serve(parts.path, parse_qs(parts.query).get("q", [unquote(parts.path.rpartition("/")[2])])[0], None)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._serve(self.path, _first_text(body), body)

    def _serve(self, path: str, question: str, body: Any) -> None:
        self.server.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        found = self.server.search(question)
        whole = {"answer": f"I read: {found[0]['text']}" if found else "Nothing.", "sources": found}
        if path == "/flaky" and self.server.failures:
            self.server.failures -= 1
            self._say(503, b"busy")
        elif path == "/teapot":
            self._say(418, f"no, {self.headers.get('Authorization', '')}".encode())
        elif path == "/moved":
            self._say(307, b"", Location="http://elsewhere.example/ask")
        elif path == "/page":
            self._say(200, b"<html>Log in</html>", "text/html")
        elif path == "/stuck":
            self.server.stuck.wait(20)
            self._say(200, json.dumps(whole).encode())
        elif path == "/cut":
            self.close_connection = True
            self.connection.close()
        elif path == "/nested":
            self._say(
                200, json.dumps({"data": {"text": whole["answer"], "hits": [{"doc": d} for d in found]}}).encode()
            )
        elif path == "/empty":
            self._say(200, b'{"status": "fine"}')
        else:
            self._say(200, json.dumps(whole).encode())

    def _say(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def _first_text(body: Any) -> str:
    if isinstance(body, str):
        return body
    values = list(body.values()) if isinstance(body, dict) else body
    return next((text for value in values if (text := _first_text(value))), "") if isinstance(values, list) else ""


@contextmanager
def serve(search: Search) -> Iterator[App]:
    app = App(search)
    thread = threading.Thread(target=app.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield app
    finally:
        app.stuck.set()
        app.shutdown()
        app.server_close()
        thread.join()
