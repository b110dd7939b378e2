"""Two runs side by side, on the questions and patterns that both have: did a change help, and what did it cost?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from darnel.core.errors import UsageError
from darnel.core.results import Results, Score
from darnel.core.stats import Difference, Rate, corrected, difference, mcnemar, rate

NOTICED = 0.05
"""A difference is called one when its corrected p value is at most this."""


class PatternChange(msgspec.Struct, frozen=True):
    """One pattern in both runs. Keys of the maps are the k of exposure@k.

    ``before`` and ``after`` count only the questions known in both; ``change`` is after less before, with p of the exact
    McNemar test and q corrected over the patterns. ``ndcg`` and ``retention``: before and after, null without judgments;
    ``trust``: the average trust of what came back, null where sources carry none.
    """

    pattern: str
    control: bool
    before: dict[str, Rate]
    after: dict[str, Rate]
    change: dict[str, Difference]
    retention: tuple[float | None, float | None]
    ndcg: tuple[float | None, float | None]
    trust: tuple[float | None, float | None] = (None, None)
    note: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """The whole comparison. ``duration``: seconds of each run; ``each``: seconds a question took with nothing planted;
    ``warnings``: what makes the two less than comparable."""

    k: int
    patterns: list[PatternChange]
    clean: tuple[float | None, float | None]
    duration: tuple[float, float]
    each: tuple[float | None, float | None]
    warnings: list[str]
    regressions: list[str]


@dataclass(frozen=True, slots=True)
class _Known:
    """Best rank of each question of a pattern, infinity where it was not retrieved; inconclusive ones are absent."""

    ranks: Mapping[str, float]


def compare(before: Results, after: Results) -> Comparison:
    """Compare two result documents.

    Raises:
        UsageError: they have no pattern or no question in common.
    """
    k = min(before.target.k, after.target.k)
    texts = {q.id: q.text for q in before.queries}
    shared = {q.id for q in after.queries if texts.get(q.id) == q.text}
    labels = [s.pattern for s in before.scores if any(t.pattern == s.pattern for t in after.scores)]
    if not shared or not labels:
        raise UsageError("the two results have no question or no pattern in common; run both with the same ones")
    ks = sorted(
        {int(key) for s in before.scores for key in s.exposure} & {int(key) for s in after.scores for key in s.exposure}
    )
    pairs = {label: _pair(before, after, label, shared) for label in labels}
    qs = {
        n: dict(zip(labels, corrected([mcnemar(_flags(pairs[label], n)) for label in labels]), strict=True)) for n in ks
    }
    changes = [_change(_score(before, label), _score(after, label), pairs[label], ks, qs, k) for label in labels]
    return Comparison(
        k=k,
        patterns=changes,
        clean=(before.baseline.judged_found.value, after.baseline.judged_found.value),
        duration=(before.run.duration, after.run.duration),
        each=(before.run.seconds_each, after.run.seconds_each),
        warnings=list(_warnings(before, after, len(shared), len(labels))),
        regressions=list(_regressions(changes, str(k))),
    )


def _pair(before: Results, after: Results, label: str, shared: set[str]) -> list[tuple[float, float]]:
    """Best rank before and after, of each shared question known in both."""
    one, two = _known(before, label), _known(after, label)
    return [(one.ranks[i], two.ranks[i]) for i in sorted(shared) if i in one.ranks and i in two.ranks]


def _known(results: Results, label: str) -> _Known:
    ranks: dict[str, float] = {}
    doubtful: set[str] = set()
    for row in results.observations:
        if row.pattern == label:
            best = ranks.get(row.query, math.inf)
            ranks[row.query] = min(best, row.rank or math.inf)
            if row.outcome == "inconclusive":
                doubtful.add(row.query)
    return _Known({query: rank for query, rank in ranks.items() if query not in doubtful})


def _flags(pairs: Iterable[tuple[float, float]], k: int) -> list[tuple[bool, bool]]:
    return [(after <= k, before <= k) for before, after in pairs]


def _change(
    old: Score,
    new: Score,
    pairs: list[tuple[float, float]],
    ks: list[int],
    qs: Mapping[int, Mapping[str, float | None]],
    k: int,
) -> PatternChange:
    before = {str(n): rate(sum(a <= n for a, _ in pairs), len(pairs)) for n in ks}
    after = {str(n): rate(sum(b <= n for _, b in pairs), len(pairs)) for n in ks}
    change = {
        str(n): msgspec.structs.replace(
            difference(after[str(n)], before[str(n)]), p=mcnemar(_flags(pairs, n)), q=qs[n][old.pattern]
        )
        for n in ks
    }
    return PatternChange(
        old.pattern,
        old.control,
        before,
        after,
        change,
        (old.retention.value, new.retention.value),
        (_ndcg(old), _ndcg(new)),
        (old.trust.after, new.trust.after),
        _only_rank_one(change, after, k),
    )


def _only_rank_one(change: Mapping[str, Difference], after: Mapping[str, Rate], k: int) -> str:
    """Words for the defence that takes plants off the first place and leaves them in the list that the model reads."""
    first, whole, rest = change.get("1"), change.get(str(k)), after.get(str(k))
    if k == 1 or first is None or whole is None or rest is None or not rest.value:
        return ""
    if noticed(first) and (first.value or 0) < 0 and not (noticed(whole) and (whole.value or 0) < 0):
        return f"plants left the first place, and as many as before are still among the first {k} that the application reads"
    return ""


def noticed(change: Difference) -> bool:
    """Whether a change is more than chance, once corrected over the patterns."""
    return change.q is not None and change.q <= NOTICED


def _ndcg(score: Score) -> float | None:
    return score.quality["nDCG@10"].after if "nDCG@10" in score.quality else None


def _score(results: Results, label: str) -> Score:
    return next(s for s in results.scores if s.pattern == label)


def _regressions(changes: Iterable[PatternChange], k: str) -> Iterable[str]:
    for item in changes:
        moved = item.change[k]
        if not item.control and noticed(moved) and (moved.value or 0) > 0:
            yield f"{item.pattern}: exposure@{k} rose by {moved.value:.2f} (q = {moved.q:.2g})"


def _warnings(before: Results, after: Results, shared: int, labels: int) -> Iterable[str]:
    if shared < max(len(before.queries), len(after.queries)):
        yield f"{shared} questions are in both, of {len(before.queries)} and {len(after.queries)}; only those are compared"
    if labels < max(len(before.scores), len(after.scores)):
        yield f"{labels} patterns are in both, of {len(before.scores)} and {len(after.scores)}; only those are compared"
    for name in ("size", "k", "isolation", "embedder"):
        one, two = getattr(before.target, name), getattr(after.target, name)
        if one != two:
            yield f"{name} differs: {one} and {two}"
    if before.run.seed != after.run.seed:
        yield f"the seed differs: {before.run.seed} and {after.run.seed}"
    if before.exit_code in (2, 3) or after.exit_code in (2, 3):
        yield "not everything could be told in both runs; inconclusive questions are left out here"
