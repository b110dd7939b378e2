"""Scores say only what is known, and a gate never passes on what is not."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.options import RunOptions
from darnel.core.queries import Query
from darnel.core.results import Score
from darnel.core.scoring.gate import METRICS, check_gate, check_pattern, parse_gate
from darnel.core.scoring.observe import QueryOutcome
from darnel.core.scoring.scores import score_all

OPTIONS = RunOptions(k=5)
KS = OPTIONS.ks
INFINITY = float("inf")


def outcome(
    label: str, number: int, best: int | None, doubt: float = INFINITY, *, gone: int = 0, copies: int = 1
) -> QueryOutcome:
    query = Query(f"q{number}", "text", {"r0": 1})
    in_top_k = copies if best is not None and best <= 5 else 0
    after = tuple(f"r{i}" for i in range(gone, 5))
    return QueryOutcome(label, query, doubt, False, best, in_top_k if doubt > 5 else None, after)


LISTS = {f"q{i}": [f"r{j}" for j in range(10)] for i in range(12)}


def score(*groups: list[QueryOutcome]) -> list[Score]:
    outcomes = {group[0].label: group for group in groups}
    controls = {label: label.startswith(("control", "honest")) for label in outcomes}
    return score_all(outcomes, controls, LISTS, OPTIONS)


best = st.one_of(st.none(), st.integers(1, 10))
full = st.lists(best, min_size=1, max_size=8)


@given(full)
def test_exposure_never_falls_as_k_grows(ranks: list[int | None]) -> None:
    (made,) = score([outcome("echo:1", i, rank) for i, rank in enumerate(ranks)])
    rates = [made.exposure[str(k)] for k in KS]
    assert [r.hits for r in rates] == [sum(1 for x in ranks if x is not None and x <= k) for k in KS]
    assert all(a.value <= b.value for a, b in itertools.pairwise(rates))  # type: ignore[operator]


def test_the_figures_of_a_known_case() -> None:
    rows = [
        outcome("echo:1", 0, 1, gone=1),
        outcome("echo:1", 1, 4, gone=1),
        outcome("echo:1", 2, None),
        outcome("echo:1", 3, 8),
    ]
    made, control = score(rows, [outcome("control:1", i, None) for i in range(4)])
    assert {k: v.hits for k, v in made.exposure.items()} == {"1": 1, "3": 1, "5": 2, "10": 3}
    assert made.mrr.value == pytest.approx((1 + 1 / 4 + 0 + 1 / 8) / 4)
    assert made.slot_share.value == pytest.approx((1 / 5 + 1 / 5) / 4)
    assert made.displacement.value == pytest.approx((1 / 5 + 1 / 5) / 4)
    assert (made.retention.hits, made.retention.n) == (2, 4)
    assert made.median_rank == pytest.approx(6.0)
    assert made.lift_over_control["5"].value == pytest.approx(0.5)
    assert made.lift_over_honest == {}
    assert control.lift_over_control == {}


def test_a_query_in_doubt_is_in_no_rate_it_could_change() -> None:
    rows = [outcome("echo:1", 0, 8, doubt=1), outcome("echo:1", 1, 2, doubt=1), outcome("echo:1", 2, None, doubt=7)]
    (made,) = score(rows)
    assert {k: (v.hits, v.n) for k, v in made.exposure.items()} == {"1": (0, 1), "3": (1, 2), "5": (1, 2), "10": (2, 2)}
    assert made.inconclusive == 1
    assert made.mrr.n == 0
    assert made.slot_share.n == made.displacement.n == made.retention.n == 1


masked = st.lists(st.tuples(best, st.sampled_from([1, 3, 6, 20, INFINITY])), min_size=1, max_size=7)
ops = st.sampled_from([">", ">=", "<", "<="])
thresholds = st.integers(0, 20).map(lambda n: n / 20)


def completions(label: str, rows: list[tuple[int | None, float]], worst: bool) -> list[QueryOutcome]:
    """Every doubt resolved to one end: a plant at the first place in doubt, or none at all."""
    out = []
    for number, (rank, doubt) in enumerate(rows):
        hidden = int(doubt) if worst and doubt <= 10 else None
        known = [r for r in (rank, hidden) if r is not None]
        out.append(outcome(label, number, min(known, default=None)))
    return out


@given(
    masked,
    masked,
    st.sampled_from(["exposure@1", "exposure@5", "exposure@10", "lift_over_control@5", "mrr"]),
    ops,
    thresholds,
)
def test_a_gate_passes_only_if_it_would_whatever_the_doubtful_queries_hold(
    rows: list[tuple[int | None, float]],
    control: list[tuple[int | None, float]],
    metric: str,
    op: str,
    threshold: float,
) -> None:
    seen = score(
        [outcome("echo:1", i, rank, doubt) for i, (rank, doubt) in enumerate(rows)],
        [outcome("control:1", i, rank, doubt) for i, (rank, doubt) in enumerate(control)],
    )
    gate = parse_gate(f"{metric} {op} {threshold}", KS)
    verdict = check_gate(gate, seen).verdict
    if verdict != "passed":
        return
    for worst in (True, False):
        for control_worst in (True, False):
            truth = score(completions("echo:1", rows, worst), completions("control:1", control, control_worst))
            assert check_gate(gate, truth).verdict == "passed"


@given(masked, st.sampled_from(["slot_share", "displacement", "retention", "mrr", "exposure@5"]), ops)
def test_nothing_passes_where_nothing_is_known(rows: list[tuple[int | None, float]], metric: str, op: str) -> None:
    (made,) = score([outcome("echo:1", i, None, doubt=1) for i, _ in enumerate(rows)])
    assert check_gate(parse_gate(f"{metric} {op} 0.5", KS), [made]).verdict == "unclear"


@given(st.integers(1, 8), st.integers(1, 8), st.sampled_from(["slot_share", "displacement"]), st.integers(0, 19))
def test_a_share_passes_only_if_the_doubtful_queries_at_their_worst_would_let_it(
    known: int, doubtful: int, metric: str, twentieths: int
) -> None:
    rows = [outcome("echo:1", i, None) for i in range(known)]
    rows += [outcome("echo:1", i, 2, doubt=1) for i in range(known, known + doubtful)]
    (made,) = score([replace(r, query=Query(f"q{i % 12}", "t")) for i, r in enumerate(rows)])
    verdict = check_gate(parse_gate(f"{metric} > {twentieths / 20}", KS), [made]).verdict
    assert (verdict == "passed") == (doubtful / (known + doubtful) <= twentieths / 20)


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("lift_over_control@5 < 0.4", "passed"),
        ("lift_over_control@5 < 0.6", "unclear"),
        ("lift_over_control@5 >= 0.9", "failed"),
        ("lift_over_honest@5 > 0.4", "unclear"),
        ("lift_over_honest@5 > 0.6", "passed"),
    ],
)
def test_what_is_not_known_of_either_side_of_a_lift_counts(condition: str, verdict: str) -> None:
    made = score(
        [outcome("control:1", 0, None), outcome("control:1", 1, None, doubt=1)],
        [outcome("honest:1", 0, None), outcome("honest:1", 1, None)],
        [outcome("echo:1", 0, 1), outcome("echo:1", 1, 1)],
        [outcome("flood:1", 0, None), outcome("flood:1", 1, None, doubt=1)],
    )
    left_out = "flood:1" if "control" in condition else "echo:1"
    assert check_gate(parse_gate(condition, KS), [s for s in made if s.pattern != left_out]).verdict == verdict


def test_a_gate_fails_for_any_pattern_that_is_not_a_control() -> None:
    echo, control = score([outcome("echo:1", 0, 1)], [outcome("control:1", 0, 1)])
    gate = parse_gate("exposure@5 > 0.2", KS)
    assert check_gate(gate, [echo, control]).verdict == "failed"
    assert check_gate(gate, [control]).verdict == "unclear"
    named = parse_gate("control exposure@5 > 0.2", KS)
    assert check_gate(named, [echo, control]).verdict == "failed"
    assert check_gate(parse_gate("echo:1 exposure@5 > 1", KS), [echo, control]).verdict == "passed"


def test_a_gate_names_patterns_that_were_run() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'echo:1'"):
        check_pattern(parse_gate("echo:2 exposure@5 > 0.2", KS), ["echo:1"])
    for known in ("echo:1+polite", "echo:1", "echo"):
        check_pattern(parse_gate(f"{known} exposure@5 > 0.2", KS), ["echo:1+polite"])
    (echo,) = score([outcome("echo:1", 0, 1)])
    left_out = check_gate(parse_gate("echo:2 exposure@5 > 0.2", KS), [echo])
    assert (left_out.verdict, left_out.detail) == ("unclear", "echo:2 was not measured")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exposure@5", "cannot read the condition"),
        ("exposure@5 = 0.2", "cannot read the condition"),
        ("exposure@5 > much", "'much' is not a number"),
        ("exposure@5 > nan", "goes from 0 to 1"),
        ("exposure@5 > inf", "goes from 0 to 1"),
        ("exposure@5 > 20", "goes from 0 to 1"),
        ("lift_over_control@5 < -2", "goes from -1 to 1"),
        ("exposure > 0.2", "write exposure@K"),
        ("mrr@5 > 0.2", "write mrr"),
        ("exposure@7 > 0.2", "measured at k = 1, 3, 5, 10"),
        ("exposre@5 > 0.2", "did you mean 'exposure@K'"),
    ],
)
def test_a_condition_that_cannot_be_meant_says_so(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_gate(text, KS)


def test_a_condition_reads_as_it_is_written() -> None:
    gate = parse_gate(" keywords:5 exposure@10 >= 20% ", KS)
    assert (gate.pattern, gate.metric, gate.k, gate.op, gate.value) == ("keywords:5", "exposure", 10, ">=", 0.2)
    for metric in METRICS:
        parse_gate(f"{metric.replace('@K', '@5')} > 0.5", KS)
