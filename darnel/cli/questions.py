"""The questions of a command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from darnel.core.queries import Query


def read_query_option(queries: str | None, qrels: Iterable[str]) -> list[Query]:
    """The queries that ``--queries`` and ``--qrels`` name."""
    from darnel.api import read_queries
    from darnel.core.errors import UsageError
    from darnel.core.queries import STANDARD_INPUT, load_queries

    if queries is None:
        raise UsageError("no questions: give a file with --queries FILE (a question a line will do)")
    judgments = [Path(name) for name in qrels]
    if queries == "-":
        with click.open_file("-", encoding="utf-8", errors="surrogateescape") as lines:
            return load_queries(lines, STANDARD_INPUT, judgments)
    return read_queries(queries, qrels=judgments)
