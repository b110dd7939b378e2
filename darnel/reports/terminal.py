"""The result document on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from darnel.core.results import Results, Score
from darnel.reports import columns, wording
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {0: "green", 1: "bold red", 2: "bold yellow", 3: "bold white on red"}


def print_results(results: Results, console: Console) -> None:
    """Verdict, table, cleanup proof, and whatever did not go as it should."""
    console.print(_plain(wording.verdict(results)), style=STYLE[results.exit_code])
    console.print(_plain(wording.target_line(results)), style="dim")
    console.print(_table(columns.columns(results), [(s, columns.row(s, results)) for s in results.scores]))
    if heads := columns.funnel_columns(results):
        console.print(Text("\nShare of questions with a plant at each stage", style="bold"))
        console.print(_table(heads, [(s, columns.funnel_row(s)) for s in results.scores]))
    for line in wording.dropped_lines(results):
        console.print(_plain(line))
    for line in (
        wording.power_line(results),
        wording.clean_line(results),
        wording.cost_line(results),
        wording.trust_line(results),
        *wording.transfer_lines(results),
        *wording.dose_lines(results),
    ):
        if line:
            console.print(_plain(line))
    for line in wording.cleanup_lines(results):
        console.print(_plain(line))
    _list(console, "Left over", [f"{x.id}  {x.plant}: {x.reason}" for x in results.leftovers], "bold red")
    _list(console, "Gates", [f"{g.verdict}: {g.condition} ({g.detail})" for g in results.gates])
    _list(console, "Could not tell", wording.doubts(results), "yellow")
    _list(console, "Warnings", results.warnings, "yellow")
    _list(console, "Errors", results.errors, "red")


def _table(heads: Sequence[str], rows: Iterable[tuple[Score, Sequence[tuple[str, str]]]]) -> Table:
    """Narrow enough for 80 columns: headings stand on several lines, intervals below their figures."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    for number, head in enumerate(heads):
        table.add_column(_stacked(head), justify="right" if number else "left", no_wrap=not number)
    for score, row in rows:
        cells = []
        for first, second in row:
            under = second.replace("0.", ".").replace("1.00", "1")  # narrow, as statistics are often printed
            cells.append(Text(visible(first)).append(f"\n{under}", style="dim") if under else Text(visible(first)))
        table.add_row(*cells, style="dim" if score.control else "")
    return table


def _stacked(head: str) -> Text:
    """``lift over control@5`` on three lines."""
    return Text(head.replace(" ", "\n").replace("@", "\n@"))


def _list(console: Console, title: str, lines: list[str], style: str = "") -> None:
    if lines:
        console.print(Text(f"\n{title}", style="bold"))
        for line in lines:
            console.print(_plain(f"  {line}"), style=style)


def _plain(text: str) -> Text:
    return Text(visible(text, 1_000))
