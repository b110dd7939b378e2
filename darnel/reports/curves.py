"""Several runs that differ in one setting, as a curve of each pattern, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from darnel.core.results import Results
from darnel.core.stats import Rate
from darnel.reports.columns import with_interval
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from rich.console import Console


def print_curves(what: str, found: Mapping[str, Results], console: Console) -> None:
    """A line a pattern, a column a value of the setting (``what``), then the smallest value at which each is exposed enough."""
    if len(found) < 2:
        return
    first = next(iter(found.values()))
    k, reach = str(first.target.k), first.run.reach
    curves = {score.pattern: _curve(score.pattern, found, k) for score in first.scores}
    console.print(Text(f"\nexposure@{k} by {what}", style="bold"))
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("pattern")
    for name in found:
        table.add_column(Text(name), justify="right")
    for score in first.scores:
        cells = (" ".join(filter(None, with_interval(rate))) for rate in curves[score.pattern].values())
        table.add_row(*(Text(visible(cell)) for cell in (score.pattern, *cells)), style="dim" if score.control else "")
    console.print(table)
    for line in _said(what, curves, reach):
        console.print(Text(visible(line, 1_000)))


def _curve(pattern: str, found: Mapping[str, Results], k: str) -> dict[str, Rate | None]:
    rates = {name: {s.pattern: s.exposure[k] for s in results.scores} for name, results in found.items()}
    return {name: of.get(pattern) for name, of in rates.items()}


def _said(what: str, curves: Mapping[str, Mapping[str, Rate | None]], reach: float) -> Iterator[str]:
    for pattern, curve in curves.items():
        values = [rate.value for rate in curve.values() if rate is not None and rate.value is not None]
        enough = [name for name, rate in curve.items() if rate is not None and (rate.value or 0) >= reach]
        if values and max(values) != min(values):
            named = f"at {what} {', '.join(enough)}" if enough else f"at no {what} tried"
            yield f"{pattern}: exposed for {reach:.0%} of the questions or more {named}."
