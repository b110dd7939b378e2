"""A real Postgres with pgvector, started once for all tests of a process."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from itertools import count
from typing import Any

import pytest

_numbers = count(1)


@cache
def _server() -> Any:
    pgserver = pytest.importorskip("pgserver", reason="needs a Postgres server; run: pip install pgserver")
    # not below pytest's folder, which is closed to the user that the server runs as where tests run as root
    folder = tempfile.mkdtemp(prefix="darnel-pg-")
    for _ in range(3):
        try:
            return pgserver.get_server(folder, cleanup_mode="delete")
        except subprocess.TimeoutExpired:  # it gives the server ten seconds, which a busy machine may need
            continue
    return pgserver.get_server(folder, cleanup_mode="delete")


def stop_server() -> None:
    """Stop it and delete its folder, if there is one; pytest-xdist's workers end without calling exit handlers."""
    if _server.cache_info().currsize:
        _server().cleanup()
        _server.cache_clear()


def new_database() -> str:
    """An empty database with pgvector; its URL without the scheme, so ``://`` and what follows."""
    psycopg = pytest.importorskip("psycopg", reason="needs psycopg; run: pip install 'psycopg[binary]'")
    name = f"corpus_{next(_numbers)}"
    _server().psql(f"CREATE DATABASE {name};")
    url = ":" + str(_server().get_uri(name)).partition(":")[2]
    with psycopg.connect(f"postgresql{url}") as connection:
        connection.execute("CREATE EXTENSION vector")
    return url
