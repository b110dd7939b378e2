"""langchain-postgres ``PGVectorStore``, the second generation: a table of the application's own for each corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from darnel.adapters.langchain.stores.sql import Rows, SqlStore, Table, place, quoted, server, statement
from darnel.core.errors import ContainerMissingError, TargetError

ID_TYPES = ("uuid", "text", "character varying")


class TableStore(SqlStore):
    """A table with columns for id, text, vector, JSON metadata and, if the application likes, single metadata keys."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        if store._engine._loop is None:
            raise TargetError("this PGVectorStore is async only; build its engine with PGEngine.from_connection_string")
        self._inner = inner = store._PGVectorStore__vs  # the class keeps no other way to its table
        self.container = f"{inner.schema_name}.{inner.table_name}"
        self.metric = inner.distance_strategy.name.lower()
        kinds = {"cosine_distance": "cosine", "euclidean": "euclid", "inner_product": "dot"}
        self.kind = None if inner.hybrid_search_config else kinds.get(self.metric)
        self.table = Table(
            name=f"{quoted(inner.schema_name)}.{quoted(inner.table_name)}",
            id=quoted(inner.id_column),
            text=quoted(inner.content_column),
            vector=quoted(inner.embedding_column),
            json=quoted(inner.metadata_json_column or ""),
            columns=tuple(inner.metadata_columns),
        )
        self._types = self._column_types()
        self.uuids = self._types.get(inner.id_column) == "uuid"
        self.identity = self._identity()

    @property
    def host(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.host``."""
        return server(self._inner.engine.url)

    @property
    def score_sign(self) -> int | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.score_sign``; the fused scores of a hybrid search are of no one kind."""
        if self._inner.hybrid_search_config:
            return None
        return 1 if self._inner.distance_strategy.name == "INNER_PRODUCT" else -1

    @property
    def vector_search(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.vector_search``; a hybrid search needs the text."""
        return None if self._inner.hybrid_search_config else "similarity_search_with_score_by_vector"

    def refusal(self) -> str | None:
        """See ``StoreAccess.refusal``."""
        inner = self._inner
        if not inner.metadata_json_column:
            return (
                f"table {self.container} has no JSON metadata column, so a plant could not carry its stamp and could "
                "not be told from your records; add one (langchain_metadata JSON) and name it as metadata_json_column"
            )
        if self._types.get(inner.id_column) not in ID_TYPES:
            return f"ids of table {self.container} are {self._types.get(inner.id_column)}, and plants' ids are UUIDs"
        return None

    def execute(self, sql: str, values: Mapping[str, Any]) -> Rows:
        """See ``SqlStore.execute``; on the loop that the application's engine runs on."""

        async def run() -> Rows:
            async with self._inner.engine.begin() as connection:
                result = await connection.execute(statement(sql, values), dict(values))
                return list(result.mappings()) if result.returns_rows else []

        found: Rows = self.store._engine._run_as_sync(run())
        return found

    def _column_types(self) -> dict[str, str]:
        rows = self.execute(
            "SELECT column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = :schema AND table_name = :table",
            {"schema": self._inner.schema_name, "table": self._inner.table_name},
        )
        if not rows:
            raise ContainerMissingError(f"no table {self.container} in this database; check table_name and schema_name")
        return {r["column_name"]: r["data_type"] for r in rows}

    def _identity(self) -> str:
        # a table made anew under the same name has another object id
        rows = self.execute(
            "SELECT CAST(c.oid AS bigint) AS n FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace "
            "WHERE s.nspname = :schema AND c.relname = :table",
            {"schema": self._inner.schema_name, "table": self._inner.table_name},
        )
        return f"{place(self._inner.engine.url)}/{self.container}/{rows[0]['n']}"
