"""A Postgres with pgvector to test on, out of the pgserver wheel: nothing to install, nothing left afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from pgvector.psycopg import register_vector

TABLE = """
CREATE EXTENSION vector;
CREATE TABLE docs (org text, id text, content text, metadata jsonb, embedding vector(32), PRIMARY KEY (org, id))
"""


@pytest.fixture(scope="session")
def database() -> Iterator[psycopg.Connection[Any]]:
    """The application's own connection to a fresh server, with its table."""
    pgserver = pytest.importorskip("pgserver", reason="pgserver, a Postgres in a wheel, is not installed")
    # not pytest's own folder: run as root, the server belongs to another user, who may not look into that
    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(folder)
        with psycopg.connect(server.get_uri(), autocommit=True) as db:
            db.execute(TABLE)
            register_vector(db)
            yield db
        server.cleanup()
