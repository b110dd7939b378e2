"""Intervals against other people's implementations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.stats import difference, mean, rate, wilson


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3 (score without continuity correction)
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_gives_the_published_intervals(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 400), st.data())
def test_wilson_is_the_textbook_formula(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    z, p = 1.959963984540054, hits / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert wilson(hits, n) == pytest.approx((centre - half, centre + half), abs=1e-9)
    assert 0 <= wilson(hits, n)[0] <= p <= wilson(hits, n)[1] <= 1


@pytest.mark.parametrize(
    ("a", "n", "b", "m", "low", "high"),
    # Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (10, 10, 0, 10, 0.6075, 1.0),
    ],
)
def test_the_difference_has_newcombes_published_intervals(
    a: int, n: int, b: int, m: int, low: float, high: float
) -> None:
    found = difference(rate(a, n), rate(b, m))
    assert found.value == pytest.approx(a / n - b / m)
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_the_difference_agrees_with_statsmodels(n: int, m: int, data: st.DataObject) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="statsmodels is not installed")
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    low, high = proportion.confint_proportions_2indep(a, n, b, m, method="newcomb", compare="diff")
    found = difference(rate(a, n), rate(b, m))
    assert (found.low, found.high) == pytest.approx((max(-1, low), min(1, high)), abs=1e-9)


def test_without_trials_there_is_no_figure() -> None:
    empty = rate(0, 0)
    assert (empty.value, empty.low, empty.high) == (None, None, None)
    assert difference(empty, rate(1, 2)).value is None
    assert difference(rate(1, 2), empty).low is None
    assert mean([], 0).value is None


shares = st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=12)


@given(shares, st.integers(0, 3))
def test_a_mean_lies_in_its_interval_and_the_interval_in_0_to_1(values: list[float], seed: int) -> None:
    found = mean(values, seed)
    assert found.n == len(values)
    assert found.value == pytest.approx(sum(values) / len(values))
    assert found.low is not None and found.high is not None and found.value is not None
    assert 0 <= found.low <= found.value + 1e-12 and found.value <= found.high + 1e-12 <= 1 + 2e-12
    assert mean(values, seed) == found


@given(st.sampled_from([0.0, 0.2, 1.0]), st.integers(1, 50))
def test_equal_values_claim_no_certainty(value: float, n: int) -> None:
    found = mean([value] * n, 0)
    assert found.low is not None and found.high is not None
    assert found.high - found.low > 0.01


@given(
    st.lists(st.integers(0, 5), min_size=2, max_size=40).filter(lambda counts: len(set(counts)) > 1), st.integers(1, 9)
)
def test_a_mean_of_counts_over_another_number_has_the_interval_scaled(counts: list[int], over: int) -> None:
    plain, scaled = mean([c / 5 for c in counts], 0), mean([c / 5 / over for c in counts], 0)
    assert (scaled.low, scaled.high) == pytest.approx(((plain.low or 0) / over, (plain.high or 0) / over))
