"""Every SQL statement of the adapter. Names go in as identifiers, values as parameters, and nothing as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import LiteralString

from psycopg import sql

from darnel_pgvector.table import Table

OPERATORS: dict[str, LiteralString] = {"cosine": "<=>", "l2": "<->", "ip": "<#>"}
"""Metric → pgvector's operator for its distance; smaller is nearer, whichever it is."""


_INSERT: LiteralString = (
    "INSERT INTO {table} ({id}, {content}, {metadata}, {embedding}{and_tenant}) "
    "VALUES (%(id)s::{id_type}, %(content)s, %(metadata)s, %(embedding)s{and_value}) "
    "ON CONFLICT ({key}) DO UPDATE SET "
    "{content} = EXCLUDED.{content}, {metadata} = EXCLUDED.{metadata}, {embedding} = EXCLUDED.{embedding} "
    "WHERE {ours} AND here.{metadata} @> %(kit)s AND split_part(here.{metadata} ->> %(stamp)s, ':', 2) = %(campaign)s "
    "RETURNING here.{id}::text"
)
"""Insert if absent, replace where the row is this campaign's own, and give back no id where it is anything else."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements for one table; each takes the parameters that stand in it as ``%(name)s``."""

    count: sql.Composed
    sample: sql.Composed
    scan: sql.Composed
    scan_bare: sql.Composed
    ids: sql.Composed
    plants: sql.Composed
    read: sql.Composed
    read_vectors: sql.Composed
    insert: sql.Composed
    delete: sql.Composed
    nearest: sql.Composed
    distances: sql.Composed


def write_statements(table: Table, metric: str) -> Statements:
    """The statements for one table and one of the metrics in ``OPERATORS``."""
    columns = table.columns
    shared = table.tenant is not None
    parts: dict[str, sql.Composable] = {
        "table": sql.SQL("{} AS here").format(table.name),
        "id": sql.Identifier(columns.id),
        "content": sql.Identifier(columns.content),
        "metadata": sql.Identifier(columns.metadata),
        "embedding": sql.Identifier(columns.embedding),
        "key": sql.SQL(", ").join(map(sql.Identifier, table.key)),
        "id_type": sql.Identifier(table.id_type),
        "near": sql.SQL(OPERATORS[metric]),
        "tenant": sql.Identifier(columns.tenant),
        "tenant_type": sql.Identifier(table.tenant_type),
    }

    def compose(text: LiteralString) -> sql.Composed:
        return sql.SQL(text).format(**parts)

    parts["ours"] = compose("here.{tenant} = %(tenant)s::{tenant_type}" if shared else "TRUE")
    parts["and_tenant"] = compose(", {tenant}" if shared else "")
    parts["and_value"] = compose(", %(tenant)s::{tenant_type}" if shared else "")
    parts["wanted"] = compose("{ours} AND {id} = ANY(%(ids)s::{id_type}[])")
    parts["row"] = compose("{id}::text, {content}, {metadata}")
    parts["record"] = compose("{row}, {embedding}::real[]")
    return Statements(
        count=compose("SELECT count(*) FROM {table} WHERE {ours}"),
        sample=compose("SELECT {row} FROM {table} WHERE {ours} ORDER BY md5({id}::text) LIMIT %(limit)s"),
        scan=compose("SELECT {record} FROM {table} WHERE {ours}"),
        scan_bare=compose("SELECT {row} FROM {table} WHERE {ours}"),
        ids=compose("SELECT {id}::text FROM {table} WHERE {ours}"),
        plants=compose("SELECT {row} FROM {table} WHERE {ours} AND {metadata} @> %(kit)s"),
        read=compose("SELECT {row} FROM {table} WHERE {wanted}"),
        read_vectors=compose("SELECT {record} FROM {table} WHERE {wanted}"),
        insert=compose(_INSERT),
        delete=compose(
            "DELETE FROM {table} WHERE {wanted} AND {metadata} @> %(kit)s AND {metadata} ->> %(stamp)s ~ %(form)s"
        ),
        nearest=compose(
            "SELECT {row}, -({embedding} {near} %(vector)s) FROM {table} WHERE {ours} "
            "ORDER BY {embedding} {near} %(vector)s LIMIT %(limit)s"
        ),
        distances=compose(
            "SELECT -(asked {near} planted) FROM unnest(%(asked)s::vector[], %(planted)s::vector[]) "
            "WITH ORDINALITY AS pair (asked, planted, number) ORDER BY number"
        ),
    )
