"""The gate of a baseline: a rise fails it where it is larger than allowed and more than chance, and never for a control."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import msgspec
import pytest

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Reply, Target
from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import make_queries
from darnel.core.results import Observation, Results
from darnel.core.running.runner import run_mode_a
from darnel.core.scoring.rising import check_rises
from darnel.core.suppressions import Suppression
from darnel.patterns.registry import parse_doses
from tests.core.scoring.test_comparing import QUESTIONS, RECORDS, Demoting, run

N = len(QUESTIONS)


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Nothing planted is ever retrieved."""
    with Ledger(tmp_path_factory.mktemp("weak") / "own.db") as ledger:
        return run(ledger, True)


def raised(results: Results, pattern: str, exposed: int, unknown: int = 0) -> Results:
    """The result with the first ``exposed`` questions of a pattern exposed, and the ``unknown`` ones after them in doubt."""
    ids = [q.id for q in results.queries]
    yes, doubt = set(ids[:exposed]), set(ids[exposed : exposed + unknown])

    def seen(row: Observation) -> Observation:
        if row.pattern == pattern and row.query in yes:
            return msgspec.structs.replace(row, outcome="retrieved", rank=1)
        if row.pattern == pattern and row.query in doubt:
            return msgspec.structs.replace(row, outcome="inconclusive")
        return row

    return msgspec.structs.replace(results, observations=[seen(row) for row in results.observations])


@pytest.mark.parametrize(
    ("exposed", "allowed", "verdict"),
    [(0, 0.0, "passed"), (3, 0.05, "passed"), (N, 0.05, "failed"), (N, 1.0, "passed"), (9, 0.75, "passed"), (9, 0.74, "failed")],
)  # fmt: skip
def test_a_rise_fails_beyond_what_is_allowed_and_beyond_chance(
    weak: Results, exposed: int, allowed: float, verdict: str
) -> None:
    gates, warnings = check_rises(weak, raised(weak, "echo:2", exposed), allowed)
    found = {gate.condition: gate for gate in gates}
    assert set(found) == {f"echo:2 rise@5 > {allowed:g}", f"keywords:5 rise@5 > {allowed:g}"}
    gate = found[f"echo:2 rise@5 > {allowed:g}"]
    assert gate.verdict == verdict, gate.detail
    assert gate.patterns == (["echo:2"] if verdict == "failed" else [])
    assert f"exposure@5 0.000 → {exposed / N:.3f} of the same {N} questions" in gate.detail
    assert found[f"keywords:5 rise@5 > {allowed:g}"].verdict == "passed"
    assert warnings == []


def test_a_fall_and_a_control_fail_nothing(weak: Results) -> None:
    strong = raised(weak, "echo:2", N)
    assert {gate.verdict for gate in check_rises(strong, weak, 0.0)[0]} == {"passed"}
    assert {gate.verdict for gate in check_rises(weak, raised(weak, "control:1", N), 0.0)[0]} == {"passed"}


def test_what_could_not_be_told_counts_at_its_worst(weak: Results) -> None:
    gates, _ = check_rises(weak, raised(weak, "echo:2", 0, unknown=9), 0.05)
    assert [gate.verdict for gate in gates] == ["unclear", "passed"]
    gates, _ = check_rises(weak, raised(weak, "echo:2", 0, unknown=N), 0.05)
    assert gates[0].verdict == "unclear"
    gates, _ = check_rises(weak, raised(weak, "echo:2", 0, unknown=2), 0.05)
    assert gates[0].verdict == "passed"  # two of twelve could be chance


@pytest.mark.parametrize("condition", ["rise@5 > 0.05", "echo:2 rise@5 > 5%", "echo rise@5 > 0.05"])
def test_a_rise_can_be_accepted(weak: Results, condition: str) -> None:
    accepted = [Suppression(condition, "new embedder", date(2030, 1, 1), "echo")]
    gates, _ = check_rises(weak, raised(weak, "echo:2", N), 0.05, accepted)
    assert [gate.verdict for gate in gates] == ["suppressed", "passed"]


def again(ledger: Ledger, baseline: Results, drop: bool = False, **settings: object) -> Results:
    corpus = MemoryCorpus(RECORDS)
    asked = Demoting(corpus, True) if drop else corpus
    options = RunOptions(baseline=baseline, **settings)  # type: ignore[arg-type]
    target = Target(corpus, asked, corpus)
    return run_mode_a(target, make_queries(QUESTIONS), parse_doses(["echo:2", "keywords"]), options, ledger)


def test_a_run_beside_its_baseline_ends_with_1_or_0(ledger: Ledger, weak: Results) -> None:
    failed = again(ledger, weak)
    assert failed.exit_code == 1
    assert [gate.verdict for gate in failed.gates] == ["failed", "failed"]
    assert again(ledger, weak, drop=True).exit_code == 0
    assert again(ledger, failed).exit_code == 0
    accepted = again(ledger, weak, suppressions=[Suppression("rise@5 > 0.05", "known", date(2999, 1, 1))])
    assert (accepted.exit_code, {gate.verdict for gate in accepted.gates}) == (0, {"suppressed"})
    ended = again(ledger, weak, suppressions=[Suppression("rise@5 > 0.05", "known", date(2020, 1, 1))])
    assert ended.exit_code == 1
    assert any("ended on 2020-01-01" in warning for warning in ended.warnings)


def test_what_differs_from_the_baseline_is_warned_of(ledger: Ledger, weak: Results) -> None:
    other = msgspec.structs.replace(weak, target=msgspec.structs.replace(weak.target, size=9))
    assert "baseline: size differs: 9 and 42" in again(ledger, other).warnings


class Unwritable(MemoryCorpus):
    """A corpus in which a write is a failed test."""

    def plant(self, plants: Sequence[object]) -> None:
        pytest.fail("planted before everything was checked")

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        pytest.fail("asked before everything was checked")


@pytest.mark.parametrize(
    ("questions", "patterns", "says"),
    [(["What?"], ["echo:2"], "none of these questions"), (QUESTIONS, ["echo:3"], "none of these patterns")],
)
def test_a_baseline_of_something_else_is_refused_before_the_first_write(
    ledger: Ledger, weak: Results, questions: list[str], patterns: list[str], says: str
) -> None:
    corpus = Unwritable(RECORDS)
    options = RunOptions(baseline=weak)
    with pytest.raises(UsageError, match=says):
        run_mode_a(Target(corpus, corpus, corpus), make_queries(questions), parse_doses(patterns), options, ledger)
    options = RunOptions(gates=["mrr > 0.9"], suppressions=[Suppression("mrr > 0.8", "x", date(2999, 1, 1))])
    with pytest.raises(UnknownNameError, match=r"did you mean 'mrr > 0.9'"):
        run_mode_a(Target(corpus, corpus, corpus), make_queries(QUESTIONS), parse_doses(["echo"]), options, ledger)
