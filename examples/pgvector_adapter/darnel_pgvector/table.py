"""The application's table, as Postgres' catalog describes it: its columns, its key, and how it is searched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql

from darnel.core.errors import ContainerMissingError, TargetError

TYPES = {
    "id": ("text", "varchar", "uuid"),
    "content": ("text", "varchar"),
    "metadata": ("jsonb",),
    "embedding": ("vector",),
}


@dataclass(frozen=True, slots=True)
class Columns:
    """What the application calls its columns. ``tenant`` need not exist; where it does, a tenant has to be named."""

    id: str = "id"
    content: str = "content"
    metadata: str = "metadata"
    embedding: str = "embedding"
    tenant: str = "tenant"


@dataclass(frozen=True, slots=True)
class Table:
    """One table and, where ``tenant`` is not None, one tenant's rows in it."""

    name: sql.Identifier
    label: str
    oid: int
    identity: str
    """System identifier, database, table oid and tenant: none of them changes when something is renamed."""
    columns: Columns
    tenant: str | None
    key: tuple[str, ...]
    """The columns of the unique index that says when two rows are the same record."""
    id_type: str
    tenant_type: str
    """Names of types; empty where there is no tenant."""
    dimension: int | None
    """None where the column takes vectors of any length and holds none yet."""
    approximate: bool
    """Whether the embedding has an index, which may then answer without looking at every row."""
    version: str
    """Of the vector extension."""


def find_table(db: Connection[Any], container: str, columns: Columns, tenant: str | None) -> Table:
    """Look a table up by ``name`` or ``schema.name``.

    Raises:
        ContainerMissingError: there is none; the text names those that hold vectors.
        TargetError: a column is missing, has a type this adapter cannot write, or ids are not unique.
    """
    name = sql.Identifier(*container.split(".", 1))
    (oid,) = _one(db, "SELECT to_regclass(%s)::oid", name.as_string(db))
    if oid is None:
        found = db.execute(
            "SELECT DISTINCT table_schema || '.' || table_name FROM information_schema.columns WHERE udt_name = 'vector'"
        )
        there = ", ".join(sorted(row[0] for row in found)[:10]) or "none"
        raise ContainerMissingError(f"no table '{container}' in this database; tables that hold vectors: {there}")
    found = db.execute(
        "SELECT attname, typname, atttypmod FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid "
        "WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped",
        (oid,),
    )
    types = {row[0]: (str(row[1]), int(row[2])) for row in found}
    _check_types(container, columns, types)
    _check_tenant(container, columns, types, tenant)
    (system, database) = _one(db, "SELECT system_identifier, current_database() FROM pg_control_system()")
    indexes = _indexes(db, oid)
    return Table(
        name=name,
        label=container if tenant is None else f"{container} ({columns.tenant} {tenant})",
        oid=oid,
        identity="/".join(str(part) for part in (system, database, oid, tenant) if part is not None),
        columns=columns,
        tenant=tenant,
        key=_key(container, columns, indexes),
        id_type=types[columns.id][0],
        tenant_type="" if tenant is None else types[columns.tenant][0],
        dimension=_dimension(db, name, columns, types[columns.embedding][1]),
        approximate=any(columns.embedding in names for names, _ in indexes),
        version=_one(db, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")[0],
    )


def _check_types(container: str, columns: Columns, types: Mapping[str, tuple[str, int]]) -> None:
    for role, allowed in TYPES.items():
        column = getattr(columns, role)
        if column not in types:
            raise TargetError(
                f"table '{container}' has no column '{column}'; say which of its columns holds the {role} with "
                f"?{role}=COLUMN; it has: {', '.join(types)}"
            )
        if types[column][0] not in allowed:
            raise TargetError(
                f"column '{column}' of table '{container}' is of type {types[column][0]}, and this adapter writes "
                f"{' or '.join(allowed)} as {role}"
            )


def _check_tenant(container: str, columns: Columns, types: Mapping[str, Any], tenant: str | None) -> None:
    if (columns.tenant in types) == (tenant is not None):
        return
    if tenant is None:
        raise TargetError(f"table '{container}' is shared by tenants; name the one under test with ?tenant=NAME")
    raise TargetError(f"table '{container}' has no column '{columns.tenant}'; name it with ?tenant_column=COLUMN")


def _indexes(db: Connection[Any], oid: int) -> list[tuple[set[str], bool]]:
    """The columns of each whole-table index, and whether it is unique."""
    found = db.execute(
        "SELECT array_agg(attname::text), indisunique FROM pg_index "
        "JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey) "
        "WHERE indrelid = %s AND indpred IS NULL AND indexprs IS NULL AND indisvalid GROUP BY indexrelid, indisunique",
        (oid,),
    )
    return [(set(names), unique) for names, unique in found]


def _key(container: str, columns: Columns, indexes: list[tuple[set[str], bool]]) -> tuple[str, ...]:
    for key in ((columns.id,), (columns.tenant, columns.id)):
        if (set(key), True) in indexes:
            return key
    raise TargetError(
        f"nothing keeps two rows of table '{container}' from sharing an id; give column '{columns.id}' a primary key"
    )


def _dimension(db: Connection[Any], table: sql.Identifier, columns: Columns, declared: int) -> int | None:
    if declared > 0:
        return declared
    query = sql.SQL("SELECT vector_dims({column}) FROM {table} WHERE {column} IS NOT NULL LIMIT 1")
    found = db.execute(query.format(column=sql.Identifier(columns.embedding), table=table)).fetchone()
    return found[0] if found else None


def _one(db: Connection[Any], query: Any, *values: Any) -> Any:
    row = db.execute(query, values).fetchone()
    assert row is not None
    return row
