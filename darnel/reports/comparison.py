"""A comparison on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from darnel.core.scoring.comparing import Comparison, PatternChange
from darnel.reports.columns import DASH, figure, interval, p_value
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from rich.console import Console


def print_comparison(found: Comparison, console: Console) -> None:
    """Each pattern before and after, then what is to be noted."""
    k = str(found.k)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    trusted = any(item.trust != (None, None) for item in found.patterns)
    heads = ["pattern", "n", "exposure@1", f"exposure@{k}", "change", "q", "judged kept", "nDCG@10"]
    heads += ["average trust"] * trusted
    for number, head in enumerate(heads):
        table.add_column(
            Text(head.replace("@", "\n@").replace(" ", "\n")), justify="right" if number else "left", no_wrap=not number
        )
    for item in found.patterns:
        table.add_row(*(Text(visible(cell)) for cell in _row(item, k, trusted)), style="dim" if item.control else "")
    console.print(table)
    for line in _notes(found):
        console.print(Text(visible(line, 1_000)))
    for line in found.warnings:
        console.print(Text(visible(f"warning: {line}", 1_000)), style="yellow")
    for line in found.regressions:
        console.print(Text(visible(f"regression: {line}", 1_000)), style="bold red")


def _row(item: PatternChange, k: str, trusted: bool) -> Iterator[str]:
    change = item.change[k]
    yield item.pattern
    yield str(item.before[k].n)
    for key in ("1", k):
        yield f"{figure(item.before[key].value)} → {figure(item.after[key].value)}"
    between = f" ({interval(change)})" if interval(change) else ""
    yield DASH if change.value is None else f"{change.value:+.2f}{between}"
    yield DASH if change.q is None else p_value(change.q).removeprefix("= ")
    for before, after in (item.retention, item.ndcg, *[item.trust] * trusted):
        yield DASH if before is None and after is None else f"{figure(before)} → {figure(after)}"


def _notes(found: Comparison) -> Iterator[str]:
    for item in found.patterns:
        if item.note:
            yield f"{item.pattern}: {item.note}."
    before, after = found.clean
    if before is not None and after is not None:
        yield f"With nothing planted, {figure(before)} → {figure(after)} of the judged questions find a judged record."
    quick, slow = found.each
    if quick is not None and slow is not None:
        yield f"A question took {quick * 1000:.3g} ms → {slow * 1000:.3g} ms with nothing planted."
    yield (
        f"The runs took {found.duration[0]:.1f} s and {found.duration[1]:.1f} s. "
        "q: exact McNemar on the same questions, corrected over the patterns."
    )
