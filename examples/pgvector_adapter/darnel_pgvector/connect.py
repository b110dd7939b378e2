"""Open ``pgvector:postgresql://host:port/database?...#table``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import psycopg
from pgvector.psycopg import register_vector
from psycopg.conninfo import make_conninfo

from darnel.adapters.checks import vector_checks
from darnel.adapters.spec import TargetSpec, is_loopback
from darnel.core.corpus import Check, Target
from darnel.core.errors import (
    HostNotAllowedError,
    TargetError,
    UnknownNameError,
    UnreachableError,
    UsageError,
    describe_error,
)
from darnel.embedders.base import Embedder
from darnel_pgvector.corpus import PgVectorCorpus
from darnel_pgvector.statements import OPERATORS
from darnel_pgvector.table import Columns

COLUMNS = {
    "id": "id",
    "content": "content",
    "metadata": "metadata",
    "embedding": "embedding",
    "tenant_column": "tenant",
}
"""Parameter of a target → which column it names."""
OWN = (*COLUMNS, "tenant", "metric")
PASSED_ON = ("user", "passfile", "host", "sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding", "options")
"""Parameters that go to libpq as they are."""
PATIENCE = 10
"""Seconds to wait for the server to answer, and for a row that somebody else has locked."""


def open_pgvector(spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True) -> Target:
    """Open one table; Postgres itself keeps apart those who use it at once, so ``exclusive`` changes nothing.

    Raises:
        UsageError: the table is not named, or a parameter is unknown or wrong.
        TargetError: server, table, column or tenant is missing.
    """
    given = spec.parameters
    spec.check_parameters((*OWN, *PASSED_ON))
    if urlsplit(spec.where).scheme not in ("postgresql", "postgres") or not spec.container:
        raise UsageError("write pgvector:postgresql://HOST:PORT/DATABASE#TABLE")
    metric = given.get("metric", "cosine")
    if metric not in OPERATORS:
        raise UnknownNameError("metric", metric, OPERATORS)
    corpus = PgVectorCorpus(
        lambda: _connect(spec),
        spec.container,
        embedder,
        columns=Columns(**{field: given[name] for name, field in COLUMNS.items() if name in given}),
        tenant=given.get("tenant"),
        metric=metric,
    )
    return Target(corpus, corpus, corpus, spec.absolute, checks=lambda: _checks(corpus), close=corpus.close)


def _connect(spec: TargetSpec) -> psycopg.Connection[Any]:
    passed = {name: value for name, value in spec.parameters.items() if name in PASSED_ON}
    if not passed.get("host", "/").startswith("/"):
        raise UsageError("?host= takes the folder of a Unix socket; the name of a host belongs in the URL")
    try:
        info = make_conninfo(spec.where, connect_timeout=PATIENCE, fallback_application_name="darnel", **passed)
        db = psycopg.connect(info, autocommit=True)
    except psycopg.ProgrammingError:  # its text quotes the part of the URL that libpq stumbled on, maybe a password
        raise UsageError(
            "libpq cannot read the URL; in a user name or password write : / ? # @ as %3A %2F ..."
        ) from None
    except psycopg.OperationalError as error:
        kind = TargetError if "FATAL" in str(error) else UnreachableError
        raise kind(f"cannot connect to {spec.redacted}: {describe_error(error)}") from None
    try:
        refuse_detour(db, urlsplit(spec.where).hostname or "")
        db.execute("SELECT set_config('lock_timeout', %s, false)", (f"{PATIENCE}s",))
        register_vector(db)
    except psycopg.ProgrammingError:
        db.close()
        raise TargetError(
            f"the database at {spec.redacted} has no type 'vector'; is pgvector installed in it?"
        ) from None
    except BaseException:
        db.close()
        raise
    return db


def refuse_detour(db: psycopg.Connection[Any], host: str) -> None:
    """Whoever named a local host shall not write to another through PGHOSTADDR, a service file or a list of hosts.

    Raises:
        HostNotAllowedError: libpq went to a host that is not this machine.
    """
    address = db.info.hostaddr
    if is_loopback(host) and address and not is_loopback(address):
        raise HostNotAllowedError(f"the URL names {host} and libpq went to {address}; put that host into the URL")


def _checks(corpus: PgVectorCorpus) -> Iterator[Check]:
    lacking = corpus.missing_privileges()
    mend = f"GRANT {', '.join(lacking)} ON the table to the role that darnel uses." if lacking else ""
    yield Check("privileges", not lacking, f"without {', '.join(lacking)}" if lacking else "all four", mend)
    yield from vector_checks(corpus, corpus, corpus.embedder)
