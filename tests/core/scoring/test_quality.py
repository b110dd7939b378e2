"""Measures of the true answers, spill, injection recall and the tests of lifts, each against figures worked by hand or by
another implementation."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import recognise
from darnel.core.corpus import Reply, Source
from darnel.core.options import RunOptions
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.queries import Query
from darnel.core.scoring.observe import QueryOutcome
from darnel.core.scoring.quality import quality
from darnel.core.scoring.scores import score_all
from darnel.core.stats import change, corrected, mcnemar, queries_needed, wilson
from tests.core.scoring.test_scores_and_gates import LISTS, outcome

INFINITY = float("inf")


def plain(number: int) -> Plant:
    marker = make_marker(0, number)
    return make_plant(
        identity="i",
        campaign="c",
        pattern="echo",
        strength=1,
        query_id=f"q{number}",
        copy=0,
        marker=marker,
        text=f"planted {marker}",
    )


def judged(number: int, ranked: list[str | None], grades: dict[str, int], doubt: float = INFINITY) -> QueryOutcome:
    return QueryOutcome("echo:1", Query(f"q{number}", "t", grades), doubt, False, 1, 1, (), tuple(ranked))


def ndcg(ranked: list[str | None], grades: dict[str, int]) -> float:
    """nDCG@10 with linear gains, as trec_eval defines it."""
    gains = [grades.get(doc or "", 0) / math.log2(place + 1) for place, doc in enumerate(ranked[:10], 1)]
    best = [grade / math.log2(place + 1) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:10], 1)]
    return sum(gains) / sum(best)


docs = st.permutations([f"d{i}" for i in range(14)])
grades = st.dictionaries(st.sampled_from([f"d{i}" for i in range(14)]), st.integers(1, 3), min_size=1, max_size=6)


@given(before=docs, after=docs, relevant=grades)
def test_measures_agree_with_their_formulas(
    before: list[str | None], after: list[str | None], relevant: dict[str, int]
) -> None:
    found = quality([judged(0, after, relevant)], {"q0": before}, k=5, seed=0)
    assert list(found) == ["nDCG@10", "R@5", "RR@10"]
    assert found["nDCG@10"].before == pytest.approx(ndcg(before, relevant))
    assert found["nDCG@10"].after == pytest.approx(ndcg(after, relevant))
    assert found["R@5"].after == pytest.approx(len(relevant.keys() & set(after[:5])) / len(relevant))
    first = next((place for place, doc in enumerate(after[:10], 1) if doc in relevant), math.inf)
    assert found["RR@10"].after == pytest.approx(1 / first)


def test_a_plant_takes_a_place_and_names_may_be_odd_or_missing() -> None:
    row = judged(0, ["plant", None, "a\ud800"], {"a\ud800": 1})
    found = quality([row], {"q0": ["a\ud800", None]}, k=5, seed=0)
    assert (found["RR@10"].before, found["RR@10"].after) == (1.0, pytest.approx(1 / 3))


def test_only_judged_queries_whose_lists_are_known_count() -> None:
    rows = [
        judged(0, ["a"], {"a": 1}),
        judged(1, ["a"], {}),
        judged(2, ["a"], {"a": 1}, doubt=4),
        judged(3, ["a"], {"a": 0}),
    ]
    found = quality(rows, {f"q{i}": ["a"] for i in range(4)}, k=5, seed=0)
    assert found["nDCG@10"].n == 1
    assert quality(rows[1:], {f"q{i}": ["a"] for i in range(4)}, k=5, seed=0) == {}


def test_a_change_has_an_interval_and_a_test_where_there_is_something_to_test() -> None:
    moved = change([1.0, 0.8, 0.9, 1.0, 0.7], [0.2, 0.5, 0.1, 0.6, 0.3], 0)
    assert moved.change == pytest.approx(-0.54)
    assert moved.low is not None and moved.high is not None and moved.low < -0.54 < moved.high
    assert moved.p == pytest.approx(
        0.00742, abs=1e-5
    )  # t = -0.54 / (0.2408 / sqrt 5) = -5.01 with 4 degrees of freedom
    still = change([0.5, 0.5], [0.5, 0.5], 0)
    assert (still.change, still.p, still.low) == (0.0, None, None)
    assert change([], [], 0).n == 0


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_mcnemar_is_the_binomial_test_of_the_pairs_that_differ(pairs: list[tuple[bool, bool]]) -> None:
    b, c = sum(a and not x for a, x in pairs), sum(x and not a for a, x in pairs)
    expected = min(1.0, 2 * float(binom.cdf(min(b, c), b + c, 0.5))) if b + c else None
    assert mcnemar(pairs) == (None if expected is None else pytest.approx(expected))


def test_correction_is_benjamini_and_hochberg_s() -> None:
    # the example of their paper's section 3.2, four smallest of fifteen
    given_ = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
    found = corrected([None, *given_])
    assert found[0] is None
    assert sum(1 for q in found[1:] if q is not None and q <= 0.05) == 4
    assert corrected([None, None]) == [None, None]


def test_lifts_are_tested_on_the_same_queries() -> None:
    plain = [outcome("control:1", i, None) for i in range(8)]
    stuffed = [outcome("echo:1", i, 1 if i < 6 else None) for i in range(8)]
    weak = [outcome("flood:1", i, 1 if i < 1 else None) for i in range(8)]
    made = score_all(
        {"control:1": plain, "echo:1": stuffed, "flood:1": weak},
        {"control:1": True, "echo:1": False, "flood:1": False},
        LISTS,
        RunOptions(),
    )
    lift = {s.pattern: s.lift_over_control.get("5") for s in made}
    assert lift["control:1"] is None
    assert lift["echo:1"] is not None and lift["echo:1"].p == pytest.approx(2 * 0.5**6)
    assert lift["echo:1"].q == pytest.approx(4 * 0.5**6)
    assert lift["flood:1"] is not None and (lift["flood:1"].p, lift["flood:1"].q) == (1.0, 1.0)


def test_injection_recall_and_f1_are_poisonedrag_s() -> None:
    rows = [replace(outcome("flood:4", 0, 1, copies=2), plants=4), replace(outcome("flood:4", 1, None), plants=4)]
    (made,) = score_all({"flood:4": rows}, {"flood:4": False}, LISTS, RunOptions(k=5))
    precision, recall = 2 / 5, 2 / 4
    assert made.slot_share.value == pytest.approx(precision / 2)
    assert made.injection_recall.value == pytest.approx(recall / 2)
    assert made.injection_f1.value == pytest.approx(2 * precision * recall / (precision + recall) / 2)


def test_the_rank_shift_is_against_the_control_and_at_least_that() -> None:
    plain = [outcome("control:1", i, best) for i, best in enumerate([10, None, 4])]
    stuffed = [outcome("echo:1", i, best) for i, best in enumerate([1, 3, None])]
    made = score_all({"control:1": plain, "echo:1": stuffed}, {"control:1": True, "echo:1": False}, LISTS, RunOptions())
    assert [s.rank_shift for s in made] == [None, 8.0]  # of 9, 11 - 3 and 4 - 11


def test_spill_is_a_plant_of_another_query_among_the_first_k() -> None:
    mine, other, stranger = plain(0), plain(1), plain(2)
    index = PlantIndex([mine, other])
    reply = Reply(tuple(Source(id_) for id_ in (stranger.id, "own", other.id, mine.id)))
    listing = recognise(reply, index, lambda plant: plant is mine, wanted=5, asked=5)
    assert listing.spilled == 3  # the stranger is known to nobody here, and counts as a record
    assert recognise(Reply(reply.sources[:2]), index, lambda plant: plant is mine, wanted=5, asked=5).spilled is None
    rows = [replace(outcome("echo:1", i, 1), spilled=spilled) for i, spilled in enumerate([True, False, None])]
    (made,) = score_all({"echo:1": rows}, {"echo:1": False}, LISTS, RunOptions())
    assert (made.spill.hits, made.spill.n) == (1, 2)


@pytest.mark.parametrize(("rate", "needed"), [(0.5, 4), (0.1, 35), (0.05, 73), (0.01, 381), (0.001, 3838)])
def test_queries_needed_is_the_least_that_bounds_the_rate(rate: float, needed: int) -> None:
    assert queries_needed(rate) == needed
    assert wilson(0, needed)[1] <= rate < wilson(0, needed - 1)[1]
