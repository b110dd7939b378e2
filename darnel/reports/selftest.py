"""A self-test on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from darnel.audit.selftest.results import SelfTest
from darnel.core.stats import Rate
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from rich.console import Console


def print_self_test(test: SelfTest, console: Console) -> None:
    """What is flagged before planting, then a line a pattern."""
    made = "made of the sample's own words" if test.made_up else "given"
    read = sum(source.read for source in test.sources)
    console.print(
        _plain(
            f"A copy of {test.sample:,} of {read:,} records was planted in memory; questions: {test.questions:,} {made}."
        )
    )
    by = ", ".join(f"{name} {count}" for name, count in test.flagged_by.items())
    flagged = f"Flagged before planting: {test.flagged.hits:,} of {test.flagged.n:,}, {rate_text(test.flagged)}"
    console.print(_plain(f"{flagged}{f' ({by})' if by else ''}: false alarms, or what is there already."))
    table = Table("pattern", "plants", "found", "without questions", "by", box=None, pad_edge=False)
    for row in test.patterns:
        if row.not_planted:
            table.add_row(_plain(row.pattern), "0", "–", "–", _plain(f"not planted: {row.not_planted}"))
            continue
        found = ", ".join(f"{name} {count}" for name, count in row.detectors.items()) or "nothing"
        known = "–" if test.made_up else rate_text(row.recall)
        table.add_row(_plain(row.pattern), str(row.plants), known, rate_text(row.without_questions), _plain(found))
    console.print()
    console.print(table)
    for source in test.sources:
        if source.digest_before is not None:
            same = "before = after" if source.digest_before == source.digest_after else "DIFFERS"
            console.print(_plain(f"{source.name}: nothing was written; corpus digest: {same}"))
    for error in test.errors:
        console.print(_plain(error), style="red")


def rate_text(share: Rate) -> str:
    """``96 % (86–99)``: the share with Wilson's 95 % interval."""
    if share.value is None or share.low is None or share.high is None:
        return "–"
    digits = 0 if share.value == 0 or share.value >= 0.1 else 1
    return f"{share.value:.{digits}%} ({100 * share.low:.{digits}f}–{100 * share.high:.{digits}f})".replace("%", " %")


def _plain(text: str) -> Text:
    return Text(visible(text, 1_000))
