"""What both generations of langchain-postgres share: rows read and deleted with SQL through the store's own engine.

Parameters always; a delete and the check of the kit's mark are one statement.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from darnel.adapters.langchain.stores.access import READ_CHUNK, KnownStore, Vectors, pair_scores, uuid_text, versions
from darnel.core.corpus import Capabilities, CorpusDescription, Record
from darnel.core.plant import KIT_KEY, KIT_VALUE, read_stamp
from darnel.core.planting.batches import chunks

Rows = Sequence[Mapping[str, Any]]
_MARK = {"kit_key": KIT_KEY, "kit_value": KIT_VALUE}
_MARKED = "->> CAST(:kit_key AS text) = CAST(:kit_value AS text)"


@dataclass(frozen=True, slots=True)
class Table:
    """Where the rows are, names quoted for SQL.

    ``columns``: metadata kept in columns of their own. ``scope``: what makes a row one of this container, with its
    parameters in ``values``.
    """

    name: str
    id: str
    text: str
    vector: str
    json: str
    columns: tuple[str, ...] = ()
    scope: str = "TRUE"
    values: Mapping[str, Any] = field(default_factory=dict)


class SqlStore(KnownStore):
    """A table, or a part of one; subclasses set ``table``, ``container``, ``metric`` and ``identity``."""

    score_sign: int | None = -1
    kind: str | None = "cosine"
    """What the search compares by: ``cosine``, ``dot`` or ``euclid``; None where that is not all it does."""
    table: Table
    container: str
    metric: str
    identity: str
    uuids = False
    """Whether the id column holds UUIDs only."""

    @abstractmethod
    def execute(self, sql: str, values: Mapping[str, Any]) -> Rows:
        """Execute one statement, commit, and return its rows."""

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        vector = self.table.vector
        sizes = self.select(f"vector_dims({vector}) AS n", f"{vector} IS NOT NULL", limit=1)
        return CorpusDescription(
            backend="langchain/postgres",
            container=self.container,
            identity=self.identity,
            size=int(self.select("count(*) AS n")[0]["n"]),
            dimension=int(sizes[0]["n"]) if sizes else None,
            metric=self.metric,
            shape=self.shape(),
            capabilities=Capabilities(scan=True, vectors=True, search=True, exact=not self._approximate()),
            versions=versions("langchain-postgres", "pgvector"),
        )

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""
        asked = self._asked(ids)
        found: dict[str, Record] = {}
        for chunk in chunks(list(asked), READ_CHUNK):
            rows = self.select(self._all(vectors), f"{self.table.id} IN :ids", {"ids": list(chunk)})
            found.update((asked[r["id"]], self._record(r)) for r in rows)
        return found

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``; ids, container and the kit's mark in one statement."""
        t = self.table
        sql = f"DELETE FROM {t.name} WHERE {t.scope} AND {t.id} IN :ids AND {t.json} {_MARKED}"
        for chunk in chunks(list(self._asked(ids)), READ_CHUNK):
            self.execute(sql, {**t.values, **_MARK, "ids": list(chunk)})

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``; cosine distances run from 0, so their negation is the cosine less 1."""
        if self.kind is None:
            return None
        found = pair_scores(self.kind, asked, planted)
        return [s - 1 for s in found] if self.kind == "cosine" else found

    def _approximate(self) -> bool:
        """Whether the table has an index that may lose records."""
        sql = (
            "SELECT count(*) AS n FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
            "WHERE i.indrelid = CAST(CAST(:name AS text) AS regclass) AND a.amname IN ('hnsw', 'ivfflat')"
        )
        return bool(self.execute(sql, {"name": self.table.name})[0]["n"])

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return [r["id"] for r in self.select(f"CAST({self.table.id} AS text) AS id")]

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        rows = self.select(self._all(False), f"{self.table.json} {_MARKED}", _MARK)
        return [r for r in map(self._record, rows) if read_stamp(r.metadata)]

    def select(
        self, what: str, where: str = "TRUE", values: Mapping[str, Any] | None = None, *, limit: int = 0
    ) -> Rows:
        """Rows of this container."""
        t = self.table
        sql = f"SELECT {what} FROM {t.name} WHERE {t.scope} AND {where}" + (f" LIMIT {limit}" if limit else "")
        return self.execute(sql, {**t.values, **(values or {})})

    def _asked(self, ids: Sequence[str]) -> dict[str, str]:
        """Ids as the column gives them back → as they were asked for; those that it cannot hold are left out."""
        return (
            {canonical: i for i in ids if (canonical := uuid_text(i))}
            if self.uuids
            else dict(zip(ids, ids, strict=True))
        )

    def _all(self, vectors: bool) -> str:
        t = self.table
        vector = f"CAST({t.vector} AS text)" if vectors else "NULL"
        own = "".join(f", {quoted(c)} AS {quoted('c_' + c)}" for c in t.columns)
        return f"CAST({t.id} AS text) AS id, {t.text} AS body, CAST({t.json} AS text) AS meta, {vector} AS vec{own}"

    def _record(self, row: Mapping[str, Any]) -> Record:
        metadata = (json.loads(row["meta"]) if row["meta"] else None) or {}
        # a column that a record does not fill reads as NULL, which is to say that the key is not there
        metadata.update((c, row[f"c_{c}"]) for c in self.table.columns if row[f"c_{c}"] is not None)
        return Record(row["id"], row["body"], metadata, json.loads(row["vec"]) if row["vec"] else None)


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def statement(sql: str, values: Mapping[str, Any]) -> Any:
    """SQL with its parameters, ``:ids`` as a list."""
    from sqlalchemy import bindparam, text

    prepared = text(sql)
    return prepared.bindparams(bindparam("ids", expanding=True)) if "ids" in values else prepared


def server(url: Any) -> str:
    """Host of a SQLAlchemy URL; empty for a socket of this machine."""
    host = str(url.host or url.query.get("host") or "")
    return "" if host.startswith("/") else host


def place(url: Any) -> str:
    """Which database a SQLAlchemy URL means, without its credentials."""
    return f"{url.host or url.query.get('host') or ''}:{url.port or ''}/{url.database or ''}"
