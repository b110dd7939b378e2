"""An application in a process of its own that has a Chroma folder open: a line on stdin is a command, one on stdout its answer."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from tests.support import chroma
from tests.support.embedder import embed


def main(folder: Path) -> None:
    client = chroma.persistent(folder)
    collection = client.get_collection(chroma.COLLECTION, embedding_function=None)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        print(json.dumps(_do(collection, command, rest)), flush=True)


def _do(collection: Any, command: str, rest: str) -> Any:
    if command == "get":
        return collection.get(include=[])["ids"]
    if command == "query":
        return collection.query(query_embeddings=[embed(rest)], n_results=5, include=[])["ids"][0]
    collection.add(ids=["own"], documents=[rest], embeddings=[embed(rest)], metadatas=[{"tenant": "acme"}])
    return "added"


def hold(file: Path) -> None:
    """Keep the database locked until a line comes."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    print(json.dumps("held"), flush=True)
    sys.stdin.readline()
    connection.execute("ROLLBACK")
    connection.close()


if __name__ == "__main__":
    {"app": main, "hold": hold}[sys.argv[1]](Path(sys.argv[2]))
