"""The gate of ``--baseline``: which pattern's exposure rose over an earlier result, by more than is allowed and by more than
chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from darnel.core.errors import UsageError
from darnel.core.results import GateResult, Results
from darnel.core.scoring.comparing import PatternChange, compare, noticed
from darnel.core.stats import Rate
from darnel.core.suppressions import RISE, Suppression, settle


def rise_condition(k: int, allowed: float) -> str:
    """``rise@5 > 0.05``; with a pattern before it, the condition of that pattern's gate."""
    return f"{RISE}{k} > {allowed:g}"


def check_comparable(baseline: Results, questions: Iterable[tuple[str, str]], labels: Iterable[str]) -> None:
    """Refuse a baseline that could not be compared, before anything is planted.

    Args:
        baseline: the earlier result.
        questions: id and text of each question to be asked.
        labels: the patterns to be run, controls left out.

    Raises:
        UsageError: no question, or no pattern, is in both.
    """
    if not {(q.id, q.text) for q in baseline.queries}.intersection(questions):
        raise UsageError("the --baseline holds none of these questions; make it anew from a run with this query file")
    if not {s.pattern for s in baseline.scores if not s.control}.intersection(labels):
        raise UsageError("the --baseline holds none of these patterns; make it anew from a run with the same ones")


def check_rises(
    before: Results, after: Results, allowed: float, suppressions: Sequence[Suppression] = ()
) -> tuple[list[GateResult], list[str]]:
    """A gate for each pattern of both results, controls left out, and what makes the two less than comparable.

    It fails where exposure@k rose by more than ``allowed`` (a share of the questions) and the exact McNemar test on the
    same questions, corrected over the patterns, calls it more than chance. It is unclear where it would fail had every
    question been exposed that could not be told.
    """
    found, worst = compare(before, after), compare(before, _at_worst(after))
    worse = {item.pattern: item for item in worst.patterns}
    gates = [
        _gate(item, worse[item.pattern], found.k, allowed, suppressions) for item in found.patterns if not item.control
    ]
    if not gates:
        gates = [GateResult(rise_condition(found.k, allowed), "unclear", "no pattern is in both results")]
    return gates, [f"baseline: {warning}" for warning in found.warnings]


def _gate(
    item: PatternChange, worst: PatternChange, k: int, allowed: float, suppressions: Sequence[Suppression]
) -> GateResult:
    said = f"{item.pattern} {'; '.join(_words(item, k))}"
    failed = {item.pattern: said} if _rose(item, k, allowed) else {}
    unclear = [] if failed or not _open(item, worst, k, allowed) else [f"{said}; more questions were inconclusive"]
    return settle(f"{item.pattern} {rise_condition(k, allowed)}", failed, unclear, said, suppressions)


def _rose(item: PatternChange, k: int, allowed: float) -> bool:
    moved = item.change[str(k)]
    # shares of whole questions, so that 0.30 less 0.25 is no more than 0.05
    return moved.value is not None and round(moved.value - allowed, 9) > 0 and noticed(moved)


def _open(item: PatternChange, worst: PatternChange, k: int, allowed: float) -> bool:
    return item.change[str(k)].value is None or _rose(worst, k, allowed)


def _words(item: PatternChange, k: int) -> Iterator[str]:
    before, after, moved = item.before[str(k)], item.after[str(k)], item.change[str(k)]
    yield f"exposure@{k} {_share(before)} → {_share(after)} of the same {after.n} questions"
    if moved.q is not None:
        yield f"q = {moved.q:.2g}"


def _share(found: Rate) -> str:
    return "–" if found.value is None else f"{found.value:.3f}"


def _at_worst(results: Results) -> Results:
    """The result had every plant been first that could not be told."""
    rows = [
        msgspec.structs.replace(row, outcome="retrieved", rank=1) if row.outcome == "inconclusive" else row
        for row in results.observations
    ]
    return msgspec.structs.replace(results, observations=rows)
