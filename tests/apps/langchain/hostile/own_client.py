"""Holds a store, and asks a server of its own instead."""

import json
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.apps.langchain.zoo import parts

store = parts.in_memory()
elsewhere = parts.in_memory()


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        question = self.rfile.read(int(self.headers["Content-Length"])).decode()
        found = elsewhere.similarity_search(question)
        body = json.dumps([f"{len(found)} notes were found, and are kept here."]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None: ...


server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()


def ask(question: str) -> list[str]:
    """Mentions its store for its size alone."""
    assert store.store
    request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}", data=question.encode())
    with urllib.request.urlopen(request) as reply:
        return list(json.load(reply))
