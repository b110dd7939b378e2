"""An application over a Chroma server, for tests of the command line; where the server is, the environment says."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chromadb
from chromadb.config import Settings

from tests.support.embedder import embed

CALLS: list[str] = []


def collection() -> Any:
    port, name = os.environ["SHOP"].split("#")
    client = chromadb.HttpClient("127.0.0.1", int(port), settings=Settings(anonymized_telemetry=False))
    return client.get_collection(name, embedding_function=None)


def ask(question: str) -> dict[str, Any]:
    print("shop: asked", question)
    found = collection().query(query_embeddings=[embed(question)], n_results=4)
    texts, ids = found["documents"][0], found["ids"][0]
    return {"answer": f"I read: {texts[0]}", "sources": [{"id": i, "text": t} for i, t in zip(ids, texts, strict=True)]}


def nested(given: dict[str, str]) -> dict[str, Any]:
    whole = ask(given["question"])
    return {"out": {"said": whole["answer"], "hits": whole["sources"]}}


def hangs_on_the_fifth(question: str) -> dict[str, Any]:
    """In a pool, whose threads Python waits for when it ends."""
    CALLS.append(question)
    if len(CALLS) == 5:
        ThreadPoolExecutor().submit(threading.Event().wait).result()
    return ask(question)


def hangs(question: str) -> dict[str, Any]:
    if CALLS:
        threading.Event().wait()
    CALLS.append(question)
    return ask(question)


def exits_on_the_fifth(question: str) -> dict[str, Any]:
    CALLS.append(question)
    if len(CALLS) == 5:
        sys.exit("goodbye")
    return ask(question)


def writes_into_its_store(question: str) -> dict[str, Any]:
    """One that learns from each question, into the store under test."""
    CALLS.append(question)
    collection().add(ids=[f"log-{len(CALLS)}"], documents=[question], embeddings=[embed(question)])
    return ask(question)


def elsewhere(question: str) -> dict[str, Any]:
    return {"answer": "42", "sources": [{"id": "x1", "text": "a text of another store, of some length"}]}
