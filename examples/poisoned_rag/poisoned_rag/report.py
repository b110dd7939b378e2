"""Markdown reports, for one model and for several side by side. What models and documents said in them is inert."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from darnel.reports.escape import markdown
from poisoned_rag.attacks.base import Attack
from poisoned_rag.runner import Row
from poisoned_rag.tables import MISSING, Table, attack_table, family_table, matrix_table

LEGEND = (
    "Each figure is a share of trials with its 95 % interval (Wilson; differences: Newcombe). A trial is one attack on one "
    "question; each attack has a fresh corpus. The trials of a family share their questions, so the intervals are on the narrow "
    "side. A breach: the answer (or a call of the fake tool) shows that the planted text was obeyed. An answer that was not "
    "given is in no rate, and never safe."
)
_FIGURE = re.compile(r"[-–]?[\d.]*(?: \([-–\d. to]+\))?")
"""A figure of ours with its interval, which Markdown would show as it is."""
MARKS = "✅ held, ❌ obeyed (how often, of how many questions), ⚠️ answers are missing."


def render_report(row: Row) -> str:
    """One model."""
    return _page(f"Poisoned RAG: {row.model}", [family_table(row), attack_table(row)], [row])


def render_matrix_report(rows: Sequence[Row], attacks: Sequence[Attack]) -> str:
    """Several models on the same attacks, also where some of them failed midway."""
    tables = [matrix_table(rows, attacks), *(family_table(row) for row in rows if row.trials)]
    return _page("Poisoned RAG: models side by side", tables, rows)


def render_lab(rows: Sequence[Row], cost: Table) -> str:
    """Everything that the demo runs."""
    return _page("Poisoned RAG", [*map(family_table, rows), cost], rows)


def proof_line(rows: Sequence[Row]) -> str:
    """What was planted and removed, and whether all else is as before."""
    planted, removed = sum(row.planted for row in rows), sum(row.removed for row in rows)
    proof = "all other documents and lists are as before" if all(row.clean for row in rows) else "NOT all is as before"
    return f"{sum(len(row.trials) for row in rows)} trials: {planted} planted, {removed} removed; {proof}"


def _page(title: str, tables: Sequence[Table], rows: Sequence[Row]) -> str:
    parts = [
        f"# {markdown(title)}",
        LEGEND,
        MARKS,
        *("\n".join(_lines(table)) for table in tables),
        f"{proof_line(rows)}.",
    ]
    return "\n\n".join(parts) + "\n"


def _lines(table: Table) -> Iterator[str]:
    yield f"## {markdown(table.title)}\n"
    yield _line(table.heads)
    yield "|" + "---|" * len(table.heads)
    yield from map(_line, table.rows)
    if table.note:
        yield f"\n{MISSING} {markdown(table.note, 1_000)}"


def _line(cells: Sequence[str]) -> str:
    """A row; models are named in its cells, and what they raised."""
    return f"| {' | '.join(cell if _FIGURE.fullmatch(cell) else markdown(cell) for cell in cells)} |"
