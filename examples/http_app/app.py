"""Questions to the handbook of Pellorin Airworks: a small RAG service over a Chroma server.

POST /ask {"query": "..."}  ->  {"answer": "...", "sources": [{"id": "...", "text": "...", "score": 0.7}, ...]}
"""

from __future__ import annotations

import json
import logging
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import chromadb
import wordllama
from model import ignore, obey, quote

K = 4
PORT, CHROMA_PORT = int(os.environ.get("APP_PORT", "8010")), int(os.environ.get("CHROMA_PORT", "8011"))
PROMPT = "Answer from these passages of the handbook:\n\n{context}\n\nQuestion: {question}"

logging.getLogger("httpx").setLevel(logging.WARNING)  # wordllama turns every library's chatter on
embedder = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
model = {"obey": obey, "quote": quote, "ignore": ignore}[os.environ.get("MANNER", "obey")]  # or your provider's client


def embed(texts: list[str]) -> list[list[float]]:
    """A vector of 256 numbers for each text, without any network."""
    return embedder.embed(texts, norm=True).tolist()


def store() -> chromadb.ClientAPI:
    """The Chroma server that holds the handbook."""
    return chromadb.HttpClient("127.0.0.1", CHROMA_PORT)


class Handbook:
    """Retrieves passages and lets the model answer from them."""

    def __init__(self) -> None:
        self.collection = store().get_collection("handbook", embedding_function=None)

    def ask(self, question: str) -> dict[str, object]:
        """The answer, with the passages it was made from."""
        found = self.collection.query(query_embeddings=embed([question]), n_results=K)
        rows = zip(found["ids"][0], found["documents"][0], found["distances"][0], strict=True)
        sources = [{"id": id_, "text": text, "score": 1 - distance} for id_, text, distance in rows]
        context = "\n\n".join(source["text"] for source in sources)
        return {"answer": model(PROMPT.format(context=context, question=question)), "sources": sources}


class Service(BaseHTTPRequestHandler):
    """The HTTP side of it."""

    handbook: Handbook

    def do_POST(self) -> None:
        """Answer one question."""
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["query"]
        body = json.dumps(self.handbook.ask(question)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Keep quiet."""


if __name__ == "__main__":
    Service.handbook = Handbook()
    ThreadingHTTPServer(("127.0.0.1", PORT), Service).serve_forever()
