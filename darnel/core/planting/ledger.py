"""The journal on disk that knows every plant of every campaign before the store does.

SQLite in WAL mode; plants are announced with ``synchronous=FULL``, so that a row is durable before the write it announces.
Plants go through ``writing`` (announced, outcome unknown) → ``written`` (read back) → ``removed`` (absence read back), or
end as ``leftover`` (still there, or could not be read) or ``changed`` (somebody edited it since; left alone).
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from darnel.core.corpus import CorpusDescription
from darnel.core.errors import LedgerError
from darnel.core.plant import Plant

DEFAULT_PATH = Path(".darnel/ledger.db")
SCHEMA_VERSION = 1
BUSY_WAIT = 30.0
"""Seconds to wait for another process that writes the same ledger."""
OPEN_STATES = ("writing", "written", "leftover", "changed")
"""States of a plant that may still be in the store."""

_SCHEMA = """
CREATE TABLE campaign (
    id TEXT PRIMARY KEY, spec TEXT NOT NULL, backend TEXT NOT NULL, container TEXT NOT NULL, identity TEXT NOT NULL,
    volatile INTEGER NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, born REAL NOT NULL, created TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'held', 'closed'))
);
CREATE TABLE plant (
    campaign TEXT NOT NULL REFERENCES campaign(id), id TEXT NOT NULL, name TEXT NOT NULL, marker TEXT NOT NULL,
    state TEXT NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (campaign, id)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """One campaign as the ledger knows it. ``born``: start time of its process (seconds since the epoch)."""

    id: str
    spec: str
    backend: str
    container: str
    identity: str
    volatile: int
    host: str
    pid: int
    born: float
    created: str
    state: str

    def is_running(self) -> bool:
        """Whether the process that opened it is still alive; on another host that cannot be known and counts as yes."""
        if self.state != "open":
            return False
        if self.host != socket.gethostname():
            return True
        return abs(process_start(self.pid) - self.born) < 1.0


@dataclass(frozen=True, slots=True)
class PlantRow:
    """One plant as the ledger knows it."""

    campaign: str
    id: str
    name: str
    marker: str
    state: str


def process_start(pid: int) -> float:
    """When a process started, in seconds since the epoch; 0.0 where there is none."""
    import psutil

    try:
        process = psutil.Process(pid)
        return 0.0 if process.status() == psutil.STATUS_ZOMBIE else float(process.create_time())
    except psutil.Error:
        return 0.0


def ledger_path(given: str | os.PathLike[str] | None = None) -> Path:
    """The ledger to use: the one given, else ``$DARNEL_LEDGER``, else ``.darnel/ledger.db`` below the current folder."""
    return Path(given or os.environ.get("DARNEL_LEDGER") or DEFAULT_PATH)


class Ledger:
    """The journal; safe for several threads, and for several processes, each with its own ``Ledger``.

    Raises:
        LedgerError: the file cannot be written, is no ledger, or was written by a newer darnel.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self.path = ledger_path(path)
        try:
            if create:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            elif not self.path.exists():
                raise LedgerError(f"no ledger at {self.path}; name it with --ledger, or name the target to sweep")
            self._turn = threading.RLock()
            self._db = sqlite3.connect(self.path, timeout=BUSY_WAIT, isolation_level=None, check_same_thread=False)
            self._use_wal()
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise LedgerError(
                f"cannot use the ledger {self.path} ({error}); nothing was planted. Choose a writable place with --ledger"
            ) from error

    def _use_wal(self) -> None:
        """Switch the journal; SQLite's busy timeout does not cover that, so a second opener of a new file waits here."""
        deadline = time.monotonic() + BUSY_WAIT
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _prepare(self) -> None:
        with self._transaction() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise LedgerError(f"the ledger {self.path} was written by a newer darnel; upgrade darnel")
            if version == 0:
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")

    @contextmanager
    def _transaction(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """One step, on disk when it returns unless not ``durable``; a failure of the file becomes a LedgerError."""
        try:
            with self._turn:
                self._db.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                finally:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise LedgerError(f"cannot write the ledger {self.path}: {error}") from error

    def open_campaign(self, campaign: str, spec: str, where: CorpusDescription) -> None:
        """Announce a campaign of this process."""
        pid = os.getpid()
        place = (spec, where.backend, where.container, where.identity, where.capabilities.volatile)
        row = (campaign, *place, socket.gethostname(), pid, process_start(pid), _now(), "open")
        with self._transaction() as db:
            db.execute(f"INSERT INTO campaign VALUES ({','.join('?' * len(row))})", row)

    def set_campaign(self, campaign: str, state: str) -> None:
        """Mark a campaign ``held`` (planted by hand, meant to stay a while) or ``closed`` (nothing left)."""
        with self._transaction() as db:
            db.execute("UPDATE campaign SET state=? WHERE id=?", (state, campaign))

    def announce(self, plants: Sequence[Plant]) -> None:
        """Record a batch as ``writing``, durably, before the store sees it."""
        rows = [(p.campaign, p.id, p.name, p.marker, "writing", _now()) for p in plants]
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO plant VALUES (?,?,?,?,?,?)", rows)

    def mark(self, campaign: str, states: Iterable[tuple[str, str]]) -> None:
        """Record new states, given as (state, plant id).

        They outlive this process at once, and a power failure only once the next plants are announced: an older state
        makes a sweep look at the plant again, which does no harm.
        """
        now = _now()
        rows = [(state, now, campaign, id_) for state, id_ in states]
        with self._transaction(durable=False) as db:
            db.executemany("UPDATE plant SET state=?, changed=? WHERE campaign=? AND id=?", rows)

    def campaigns(self, *, unfinished: bool = True) -> list[CampaignRow]:
        """Campaigns, oldest first; by default those that are not closed."""
        where = "WHERE state != 'closed'" if unfinished else ""
        return [CampaignRow(*row) for row in self._read(f"SELECT * FROM campaign {where} ORDER BY created, id")]

    def plants(self, campaign: str, states: Sequence[str] = OPEN_STATES) -> list[PlantRow]:
        """The plants of a campaign that are in one of the states."""
        marks = ",".join("?" * len(states))
        sql = f"SELECT campaign, id, name, marker, state FROM plant WHERE campaign=? AND state IN ({marks})"
        return [PlantRow(*row) for row in self._read(sql, (campaign, *states))]

    def _read(self, sql: str, values: Sequence[str] = ()) -> list[Any]:
        try:
            with self._turn:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot read the ledger {self.path}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
