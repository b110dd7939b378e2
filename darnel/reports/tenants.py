"""What came of checking tenants, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from darnel.core.stats import Rate
from darnel.reports.escape import visible
from darnel.tenants.model import TenantResults, TenantRow
from darnel.tenants.wording import example_lines, verdict

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {0: "green", 1: "bold red", 2: "bold yellow", 3: "bold red"}


def print_tenants(results: TenantResults, console: Console) -> None:
    """Verdict, a line for each check, examples of what is not as it should be, and the proof of removal."""
    console.print(_plain(verdict(results)), style=STYLE[results.exit_code])
    console.print(_plain(f"{', '.join(results.tenants)} in {', '.join(results.containers)}"), style="dim")
    table = Table("check", "breaches", "95 %", "inconclusive", "what it does", box=SIMPLE_HEAD, show_edge=False)
    for score in results.scores:
        share, interval = cells(score.breaches)
        table.add_row(score.check, share, interval, str(score.inconclusive), score.summary)
    console.print(table)
    _examples(console, "Breaches", results.rows_of("breach"))
    _examples(console, "Could not be told", results.rows_of("inconclusive"))
    for name, lines in (("warning", results.warnings), ("error", results.errors)):
        for line in lines:
            console.print(_plain(f"{name}: {line}"), style="yellow")
    clean = results.cleanup
    left = [f"left over: {item.id}: {item.reason}" for item in results.leftovers]
    same = [d.same for d in results.digests]
    proof = "all other records as before" if same and all(same) else "other records: CHANGED" if same else "no digest"
    console.print(
        _plain(f"{clean.planted} planted, {clean.removed} removed, {len(left)} left over; {proof}"), style="dim"
    )
    for line in left:
        console.print(_plain(line), style="bold red")


def cells(rate: Rate) -> tuple[str, str]:
    """``3 of 9`` and its interval."""
    interval = "–" if rate.low is None or rate.high is None else f"{rate.low:.2f}–{rate.high:.2f}"
    return f"{rate.hits} of {rate.n}", interval


def _examples(console: Console, title: str, rows: list[TenantRow]) -> None:
    if rows:
        console.print(Text(f"\n{title}", style="bold"))
        for line in example_lines(rows):
            console.print(_plain(f"  {line}"))


def _plain(text: str) -> Text:
    return Text(visible(text, 1_000))
