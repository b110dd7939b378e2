"""Intervals, all at 95 %. Wilson's comes from SciPy, Newcombe's is made of two of them, the bootstrap is SciPy's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

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
    """A difference of two rates, with Newcombe's hybrid score interval (Statistics in Medicine 17, 1998, method 10)."""

    value: float | None
    low: float | None
    high: float | None


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
    return Mean(n, total / n, float(found.low), float(found.high))


def difference(a: Rate, b: Rate) -> Difference:
    """``a - b`` with Newcombe's interval for independent rates; on paired queries it is on the wide side."""
    if a.value is None or a.low is None or a.high is None or b.value is None or b.low is None or b.high is None:
        return Difference(None, None, None)
    value = a.value - b.value
    down = math.hypot(a.value - a.low, b.high - b.value)
    up = math.hypot(a.high - a.value, b.value - b.low)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up))
