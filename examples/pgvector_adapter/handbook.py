"""A Postgres to try the adapter on: an invented company's handbook in a table, in a folder of its own.

python handbook.py          # start it, fill it, print what to run
python handbook.py --stop   # stop it and delete it
"""

from __future__ import annotations

import sys
from pathlib import Path

import pgserver
import psycopg
from pgvector.psycopg import register_vector
from psycopg.types.json import Jsonb

from darnel.demo import FOLDER, demo_records
from darnel.embedders.resolve import resolve_embedder

DATA = Path("pgdata").resolve()
TABLE = """
CREATE EXTENSION vector;
CREATE TABLE docs (id text PRIMARY KEY, content text NOT NULL, metadata jsonb, embedding vector(256) NOT NULL)
"""


def start() -> None:
    """Fill the table as an application would, and leave the server running."""
    server = pgserver.get_server(DATA, cleanup_mode=None)
    records = demo_records()
    vectors = resolve_embedder("wordllama").documents([record.text or "" for record in records])
    with psycopg.connect(server.get_uri(), autocommit=True) as db:
        db.execute(TABLE)
        register_vector(db)
        rows = [(r.id, r.text, Jsonb(dict(r.metadata or {})), v) for r, v in zip(records, vectors, strict=True)]
        db.cursor().executemany("INSERT INTO docs VALUES (%s, %s, %s, %s)", rows)
        target = f"pgvector:postgresql://localhost/postgres?user=postgres&host={db.info.host}#docs"
    print(f"{len(records)} records are in table docs. Now, for instance:\n")
    print(f"darnel doctor '{target}' --embedder wordllama")
    print(f"darnel run '{target}' --embedder wordllama --queries {FOLDER / 'queries.jsonl'}")


if __name__ == "__main__":
    if "--stop" in sys.argv:
        pgserver.get_server(DATA, cleanup_mode="delete").cleanup()
    else:
        start()
