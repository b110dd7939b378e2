"""One pgvector table as injector, reader and retriever.

Postgres has what most stores lack, real transactions: a batch of plants is written whole or not at all, and the
statement that takes an id is the one that finds out whether it was free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID

from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from darnel.core.corpus import Capabilities, CorpusDescription, Record, Reply, Source
from darnel.core.errors import CollisionError, EmbedderError, UsageError, blame_target
from darnel.core.plant import KIT_KEY, KIT_VALUE, STAMP_KEY, STAMP_PATTERN, Plant
from darnel.core.planting.batches import check_sizes
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.shape import learn_shape
from darnel.embedders.base import Embedder
from darnel.embedders.vectors import plant_vectors
from darnel_pgvector.statements import write_statements
from darnel_pgvector.table import Columns, find_table

SHAPE_SAMPLE = 32
MAX_BATCH_BYTES = 32_000_000
"""What one transaction writes; Postgres itself would take far more."""
_cursors = count(1)


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


class PgVectorCorpus:
    """A table, or one tenant's rows of it.

    Args:
        connect: makes a connection that commits by itself and knows the vector type; called again when one broke.
        container: ``table`` or ``schema.table``.
        embedder: the application's; needed to plant and to ask, not to read or remove.
        columns: what the application calls its columns.
        tenant: whose rows are under test, where the table has a tenant column.
        metric: how the application measures distance: ``cosine``, ``l2`` or ``ip``.
    """

    def __init__(
        self,
        connect: Callable[[], Connection[Any]],
        container: str,
        embedder: Embedder | None = None,
        *,
        columns: Columns | None = None,
        tenant: str | None = None,
        metric: str = "cosine",
    ) -> None:
        self._connect, self._connection = connect, connect()
        if not self._connection.autocommit:
            raise UsageError("a connection for darnel needs autocommit=True, or what it writes is never committed")
        self.embedder, self.metric = embedder, metric
        try:
            self.table = find_table(self._connection, container, columns or Columns(), tenant)
        except BaseException:
            self.close()
            raise
        self._statements = write_statements(self.table, metric)
        self._always = {
            "tenant": tenant,
            "kit": Jsonb({KIT_KEY: KIT_VALUE}),
            "stamp": STAMP_KEY,
            "form": f"^{STAMP_PATTERN}$",
        }
        self._described: CorpusDescription | None = None

    @property
    def db(self) -> Connection[Any]:
        """The connection; a new one where the server, or the network, closed the last."""
        if self._connection.closed:
            self._connection = self._connect()
        return self._connection

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _rows(self, query: sql.Composed, **values: Any) -> list[Any]:
        return self.db.execute(query, {**self._always, **values}).fetchall()

    def _possible(self, ids: Sequence[str]) -> list[str]:
        """The ids that a row can have at all: in a column of UUIDs, only those that are spelled as Postgres does."""
        return [id_ for id_ in ids if self.table.id_type != "uuid" or _is_uuid(id_)]

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``."""
        with blame_target(f"reading table {self.table.label}"):
            ((size,),) = self._rows(self._statements.count)
            sample = [Record(*row) for row in self._rows(self._statements.sample, limit=SHAPE_SAMPLE)]
        self._described = CorpusDescription(
            backend="pgvector",
            container=self.table.label,
            identity=self.table.identity,
            size=size,
            dimension=self.table.dimension,
            metric=self.metric,
            embedder=self.embedder.name if self.embedder else None,
            shape=learn_shape(sample),
            capabilities=Capabilities(scan=True, vectors=True, search=True, exact=not self.table.approximate),
            versions={
                "postgres": self.db.info.parameter_status("server_version") or "",
                "pgvector": self.table.version,
            },
            max_batch_bytes=MAX_BATCH_BYTES,
        )
        return self._described

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``; without vectors."""
        return self._read(self._statements.read, ids)

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``VectorReader.read_vectors``."""
        return self._read(self._statements.read_vectors, ids)

    def _read(self, query: sql.Composed, ids: Sequence[str]) -> Mapping[str, Record]:
        known = self._possible(ids)
        found = self._rows(query, ids=known) if known else []
        return {row[0]: Record(*row) for row in found}

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``; one transaction, so that a foreign record anywhere undoes all of it."""
        if not plants:
            return
        check_sizes(plants, self._described or self.describe())
        vectors = plant_vectors(plants, self.embedder, self.table.dimension)
        rows = [
            {
                **self._always,
                "id": plant.id,
                "content": plant.text,
                "metadata": Jsonb(dict(plant.metadata)),
                "embedding": vector,
                "campaign": plant.campaign,
            }
            for plant, vector in zip(plants, vectors, strict=True)
        ]
        with self.db.transaction(), self.db.cursor() as cursor:
            cursor.executemany(self._statements.insert, rows, returning=True)
            taken = {row[0] for result in cursor.results() for row in result}
            self._refuse([plant for plant in plants if plant.id not in taken])

    def _refuse(self, plants: Sequence[Plant]) -> None:
        """Say whose records stand where these plants could not be written; raising rolls the batch back."""
        if plants:
            refuse_foreign(self.read([plant.id for plant in plants]), plants[0].campaign)
            raise CollisionError(f"record {plants[0].id} is another tenant's; nothing was written. Run again")

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``; Postgres looks for our stamp in the statement that deletes."""
        if known := self._possible(ids):
            self.db.execute(self._statements.delete, {**self._always, "ids": known})

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``; a cursor on the server, so that no more than a batch is held here."""
        query = self._statements.scan if vectors else self._statements.scan_bare
        # held: it shows one moment of the table, and keeps no transaction open that a plant might get caught in
        with self.db.cursor(f"darnel_{next(_cursors)}", withhold=True) as cursor:
            cursor.execute(query, self._always)
            while rows := cursor.fetchmany(batch):
                yield [Record(*row) for row in rows]

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return [row[0] for row in self._rows(self._statements.ids)]

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return [Record(*row) for row in self._rows(self._statements.plants)]

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``; scores are negated distances, so that higher is better."""
        if self.embedder is None:
            raise EmbedderError("asking needs the application's embedder; give it with --embedder")
        replies = []
        for vector in self.embedder.queries(queries):
            found = self._rows(self._statements.nearest, vector=vector, limit=k)
            replies.append(Reply(tuple(Source(*row) for row in found)))
        return replies

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """See ``ExactScorer.exact_scores``; Postgres computes them, by the operator that the search sorts by."""
        if self.embedder is None or not plants:
            return None
        asked = list(self.embedder.queries(queries))
        planted = list(plant_vectors(plants, self.embedder, self.table.dimension))
        return [float(row[0]) for row in self._rows(self._statements.distances, asked=asked, planted=planted)]

    def missing_privileges(self) -> list[str]:
        """What the role may not do with the table, of the four things that a run does."""
        query = "SELECT has_table_privilege(%s::oid, %s)"
        needed = ("SELECT", "INSERT", "UPDATE", "DELETE")
        return [name for name in needed if not self.db.execute(query, (self.table.oid, name)).fetchall()[0][0]]
