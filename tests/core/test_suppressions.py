"""A failure that was accepted until a date: it fails nothing before, everything after, and hides nothing else."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.errors import UnknownNameError
from darnel.core.scoring.gate import check_gate, parse_gate
from darnel.core.suppressions import Suppression, in_force
from tests.core.scoring.test_scores_and_gates import KS, outcome, score

DAY = date(2027, 1, 31)
CONDITION = "exposure@5 > 0.2"
ECHO = score(
    [outcome("echo:1", i, 1) for i in range(4)],
    [outcome("keywords:2", i, 1) for i in range(4)],
    [outcome("flood:1", i, None) for i in range(4)],
)


def accept(pattern: str | None = None, condition: str = CONDITION, until: date = DAY) -> Suppression:
    return Suppression(condition, "known", until, pattern)


def test_what_is_accepted_for_every_pattern_fails_nothing() -> None:
    found = check_gate(parse_gate(CONDITION, KS), ECHO, [accept()])
    assert (found.verdict, found.patterns) == ("suppressed", [])
    assert [(x.pattern, x.reason, x.until) for x in found.suppressed] == [
        ("echo:1", "known", "2027-01-31"),
        ("keywords:2", "known", "2027-01-31"),
    ]
    assert "echo:1 1.000 suppressed until 2027-01-31: known" in found.detail


@pytest.mark.parametrize("pattern", ["echo", "echo:1"])
def test_what_is_accepted_for_one_pattern_still_fails_for_another(pattern: str) -> None:
    found = check_gate(parse_gate(CONDITION, KS), ECHO, [accept(pattern)])
    assert (found.verdict, found.patterns) == ("failed", ["keywords:2"])
    assert [x.pattern for x in found.suppressed] == ["echo:1"]
    both = check_gate(parse_gate(CONDITION, KS), ECHO, [accept(pattern), accept("keywords")])
    assert both.verdict == "suppressed"


@pytest.mark.parametrize("pattern", ["echo", "echo*3", "echo*3:1", "echo*3:1+polite"])
def test_copies_and_payloads_are_named_alike_by_a_gate_and_a_suppression(pattern: str) -> None:
    found = score([outcome("echo*3:1+polite", 0, 1)])
    gate = parse_gate(f"{pattern} {CONDITION}", KS)
    assert check_gate(gate, found).patterns == ["echo*3:1+polite"]
    assert check_gate(gate, found, [accept(pattern)]).verdict == "suppressed"
    assert in_force([accept(pattern)], [gate.text], ["echo*3:1+polite"], DAY)[1] == []


@pytest.mark.parametrize("pattern", ["echo:2", "ech", "flood"])
def test_what_is_accepted_for_another_pattern_changes_nothing(pattern: str) -> None:
    assert check_gate(parse_gate(CONDITION, KS), ECHO, [accept(pattern)]).patterns == ["echo:1", "keywords:2"]


def test_what_could_not_be_told_is_not_accepted_with_it() -> None:
    made = score([outcome("echo:1", 0, 1)], [outcome("keywords:1", 0, None, doubt=1)])
    found = check_gate(parse_gate(CONDITION, KS), made, [accept()])
    assert found.verdict == "unclear"
    assert "keywords:1 (1 inconclusive)" in found.detail


@pytest.mark.parametrize(
    ("gate", "condition", "pattern", "verdict"),
    [
        ("exposure@5 > 0.2", "exposure@5>20%", "echo", "suppressed"),
        ("echo exposure@5 > 0.2", "exposure@5 > 0.2", "echo", "suppressed"),
        ("echo exposure@5 > 0.2", "echo exposure@5 > 0.2", None, "suppressed"),
        ("echo:1 exposure@5 > 0.2", "echo:1  exposure@5 >0.2", None, "suppressed"),
        ("echo exposure@5 > 0.2", "exposure@5 > 0.3", "echo", "failed"),
        ("echo exposure@5 > 0.2", "exposure@3 > 0.2", "echo", "failed"),
        ("echo exposure@5 > 0.2", "exposure@5 >= 0.2", "echo", "failed"),
    ],
)
def test_a_condition_is_the_same_however_it_is_written(
    gate: str, condition: str, pattern: str | None, verdict: str
) -> None:
    made = [s for s in ECHO if s.pattern == "echo:1"]
    assert check_gate(parse_gate(gate, KS), made, [accept(pattern, condition)]).verdict == verdict


@given(st.integers(-3, 3))
def test_it_holds_to_the_end_of_its_last_day(days: int) -> None:
    valid, warnings = in_force([accept("echo")], [CONDITION], ["echo:1"], DAY + timedelta(days))
    assert bool(valid) == (days <= 0)
    assert [("ended on 2027-01-31 (known)" in w) for w in warnings] == [True] * (days > 0)


def test_a_condition_that_is_none_of_the_run_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'exposure@5 > 0.2'"):
        in_force([accept(condition="exposure@5 > 0.3")], [CONDITION, "mrr > 0.9"], ["echo:1"], DAY)
    with pytest.raises(UnknownNameError, match="known: none"):
        in_force([accept(until=date(2020, 1, 1))], [], ["echo:1"], DAY)


def test_a_pattern_that_is_not_run_is_warned_of() -> None:
    _, warnings = in_force([accept("ehco")], [CONDITION], ["echo:1"], DAY)
    assert warnings == ["the suppression of 'exposure@5 > 0.2' for ehco is of a pattern that this run does not have"]


def test_a_rise_rests_without_a_baseline() -> None:
    assert in_force([accept(condition="rise@5 > 0.05")], [CONDITION], ["echo:1"], DAY) == ([], [])
    with pytest.raises(UnknownNameError, match=r"did you mean 'rise@5 > 0.1'"):
        in_force([accept(condition="rise@5 > 0.05")], [CONDITION, "rise@5 > 0.1"], ["echo:1"], DAY)
