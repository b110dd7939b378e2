"""langchain-postgres ``PGVector``, the first generation: one table for all collections.

Its ids are unique over all of them, and its upsert moves no row: writing an id that a sibling collection holds changes
the sibling's record and leaves this collection without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from darnel.adapters.langchain.stores.access import READ_CHUNK, collision
from darnel.adapters.langchain.stores.sql import Rows, SqlStore, Table, quoted, server, statement
from darnel.core.errors import ContainerMissingError, TargetError
from darnel.core.planting.batches import chunks


class CollectionStore(SqlStore):
    """A collection of ``langchain_pg_embedding``."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        if store._engine is None:
            raise TargetError("this PGVector is async only; give one built without async_mode")
        self.container, self.metric = store.collection_name, store._distance_strategy.value
        self.kind = {"cosine": "cosine", "l2": "euclid", "inner": "dot"}.get(self.metric)
        found = self.execute(
            f"SELECT uuid FROM {quoted(store.CollectionStore.__tablename__)} WHERE name = :name",
            {"name": self.container},
        )
        if not found:
            raise ContainerMissingError(f"no collection '{self.container}' in this database; check collection_name")
        self.identity = str(found[0]["uuid"])
        self.table = Table(
            name=quoted(store.EmbeddingStore.__tablename__),
            id="id",
            text="document",
            vector="embedding",
            json="cmetadata",
            scope="collection_id = CAST(:collection AS uuid)",
            values={"collection": self.identity},
        )

    @property
    def host(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.host``."""
        return server(self.store._engine.url)

    def refuse_elsewhere(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.refuse_elsewhere``."""
        sql = f"SELECT id FROM {self.table.name} WHERE id IN :ids AND NOT ({self.table.scope})"
        for chunk in chunks(list(ids), READ_CHUNK):
            for row in self.execute(sql, {**self.table.values, "ids": list(chunk)}):
                raise collision(row["id"], "another collection of this database")

    def execute(self, sql: str, values: Mapping[str, Any]) -> Rows:
        """See ``SqlStore.execute``."""
        with self.store._engine.begin() as connection:
            result = connection.execute(statement(sql, values), dict(values))
            return list(result.mappings()) if result.returns_rows else []
