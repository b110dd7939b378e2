"""Intervals, all at 95 %. Wilson's comes from SciPy, Newcombe's is made of two of them, the bootstrap is SciPy's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import msgspec

CONFIDENCE = 0.95
RESAMPLES = 2_000


class Rate(msgspec.Struct, frozen=True):
    """``hits`` of ``n``, with Wilson's score interval; without any trial, value and interval are null."""

    hits: int
    n: int
    value: float | None
    low: float | None
    high: float | None


class Mean(msgspec.Struct, frozen=True):
    """A mean over ``n`` queries, with a bootstrap interval over queries."""

    n: int
    value: float | None
    low: float | None
    high: float | None


class Difference(msgspec.Struct, frozen=True):
    """A difference of two rates, with Newcombe's hybrid score interval (Statistics in Medicine 17, 1998, method 10).

    ``p``: of the exact McNemar test on the queries known on both sides. ``q``: that, corrected for the number of patterns
    compared (Benjamini and Hochberg, JRSS B 57, 1995).
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None = None
    q: float | None = None


class Change(msgspec.Struct, frozen=True):
    """A mean before and after planting over the same ``n`` queries. ``change``: after less before, with the bootstrap
    interval over queries; ``p``: of the paired t test, null where it has nothing to test."""

    n: int
    before: float | None
    after: float | None
    change: float | None
    low: float | None
    high: float | None
    p: float | None


@cache
def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's score interval for a proportion (n at least 1)."""
    from scipy.stats import binomtest

    interval = binomtest(hits, n).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def rate(hits: int, n: int) -> Rate:
    """A proportion with its interval."""
    if n == 0:
        return Rate(hits, n, None, None, None)
    low, high = wilson(hits, n)
    return Rate(hits, n, hits / n, low, high)


def mean(values: Sequence[float], seed: int) -> Mean:
    """A mean of values in [0, 1] with a percentile bootstrap interval over them.

    Where all values are equal a bootstrap would claim certainty. A variable in [0, 1] varies at most as much as a coin
    of the same mean, so there Wilson's interval for that coin stands in; it errs on the wide side.
    """
    n = len(values)
    if n == 0:
        return Mean(0, None, None, None)
    total = math.fsum(values)
    if max(values) == min(values):
        low, high = wilson(math.floor(total + 1e-9), n)[0], wilson(math.ceil(total - 1e-9), n)[1]
        return Mean(n, total / n, low, high)
    return Mean(n, total / n, *_bootstrap(values, seed))


def change(before: Sequence[float], after: Sequence[float], seed: int) -> Change:
    """How a measure of each query moved (values in [0, 1], the same queries in the same order)."""
    n = len(before)
    if n == 0:
        return Change(0, None, None, None, None, None, None)
    moved = [b - a for a, b in zip(before, after, strict=True)]
    means = math.fsum(before) / n, math.fsum(after) / n, math.fsum(moved) / n
    if max(moved) == min(moved):  # nothing that a bootstrap or a t test could estimate
        return Change(n, *means, None, None, None)
    from scipy.stats import ttest_rel

    return Change(n, *means, *_bootstrap(moved, seed), float(ttest_rel(after, before).pvalue))


def _bootstrap(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Percentile bootstrap interval of a mean.

    Scaling all values scales it as well, and many scores of one pattern are the same counts over another number.
    """
    scale = max(map(abs, values))
    low, high = _resampled(tuple(value / scale for value in values), seed)
    return low * scale, high * scale


@lru_cache(maxsize=64)  # equal ones follow close on one another, and each holds a value a query
def _resampled(values: tuple[float, ...], seed: int) -> tuple[float, float]:
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.asarray(values, dtype=float),),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def mcnemar(pairs: Iterable[tuple[bool, bool]]) -> float | None:
    """Exact two-sided McNemar test over pairs of yes and no; None where no pair differs or there is none."""
    differing = [a for a, b in pairs if a != b]
    if not differing:
        return None
    from scipy.stats import binomtest

    return float(binomtest(sum(differing), len(differing)).pvalue)


def corrected(ps: Sequence[float | None]) -> list[float | None]:
    """P values corrected for their number by Benjamini and Hochberg; those that are None stay None and do not count."""
    known = [p for p in ps if p is not None]
    if not known:
        return list(ps)
    from scipy.stats import false_discovery_control

    adjusted = iter(float(q) for q in false_discovery_control(known))
    return [None if p is None else next(adjusted) for p in ps]


def queries_needed(rate_: float) -> int:
    """The least number of queries of which none is exposed that bounds the rate by ``rate_`` (above 0, below 1): the
    upper end of Wilson's 95 % interval of 0 in n is z² / (n + z²).
    """
    z2 = 1.959963984540054**2
    n = max(1, math.floor(z2 * (1 / rate_ - 1)))
    while wilson(0, n)[1] > rate_:
        n += 1
    return n


def difference(a: Rate, b: Rate) -> Difference:
    """``a - b`` with Newcombe's interval for independent rates; on paired queries it is on the wide side."""
    if a.value is None or a.low is None or a.high is None or b.value is None or b.low is None or b.high is None:
        return Difference(None, None, None)
    value = a.value - b.value
    down = math.hypot(a.value - a.low, b.high - b.value)
    up = math.hypot(a.high - a.value, b.value - b.low)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up))
