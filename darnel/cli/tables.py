"""Small tables on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from darnel.reports.escape import json_visible, visible

WIDTH_ELSEWHERE = 120


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(json_visible(json.dumps(value, indent=2, ensure_ascii=False)))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A plain table; corpus text in it is inert."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False).print(table)
