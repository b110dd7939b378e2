"""Two runs side by side: the same questions, a test on the pairs, and words for a defence that only moves plants down."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record, Reply, Target
from darnel.core.errors import UsageError
from darnel.core.options import RunOptions
from darnel.core.plant import read_stamp
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import make_queries
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.core.scoring.comparing import compare
from darnel.patterns.registry import parse_doses

QUESTIONS = [
    f"where is the {thing} of the {place}?"
    for thing in ("red lamp", "old boat", "tall gate")
    for place in ("harbour", "mill", "north tower", "school")
]


PLACES = ("harbour", "mill", "north tower", "school", "bridge", "market")
RECORDS = [
    Record(
        f"r{n}",
        f"In the {PLACES[n % 6]} there is a {('rope', 'bell', 'stair', 'lamp', 'boat', 'gate', 'clock')[n % 7]}, number {n}.",
    )
    for n in range(42)
]


class Demoting:
    """A defence that puts what is planted behind the first of the owner's records, or leaves it out."""

    def __init__(self, corpus: MemoryCorpus, drop: bool) -> None:
        self.corpus, self.drop = corpus, drop

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        replies = []
        for reply in self.corpus.retrieve(queries, k):
            own = [s for s in reply.sources if read_stamp(s.metadata) is None]
            planted = [s for s in reply.sources if read_stamp(s.metadata) is not None]
            replies.append(Reply(tuple(own if self.drop else [*own[:1], *planted, *own[1:]])[:k]))
        return replies


def run(
    ledger: Ledger,
    defence: bool | None,
    patterns: Sequence[str] = ("echo:2", "keywords"),
    questions: Sequence[str] = QUESTIONS,
    k: int = 5,
) -> Results:
    corpus = MemoryCorpus(RECORDS)
    asked = corpus if defence is None else Demoting(corpus, defence)
    target = Target(corpus, asked, corpus)
    return run_mode_a(target, make_queries(questions), parse_doses(patterns), RunOptions(k=k), ledger)


def test_a_defence_that_leaves_plants_out(ledger: Ledger) -> None:
    found = compare(run(ledger, None), run(ledger, True))
    changes = {item.pattern: item for item in found.patterns}
    echo = changes["echo:2"]
    assert (echo.before["5"].value, echo.after["5"].value) == (1.0, 0.0)
    assert echo.change["5"].p == pytest.approx(2 * 0.5**12)
    assert echo.change["5"].q is not None and echo.change["5"].q <= 0.01
    assert echo.note == ""
    assert found.regressions == found.warnings == []


def test_a_defence_that_only_moves_plants_down_is_called_out(ledger: Ledger) -> None:
    found = compare(run(ledger, None), run(ledger, False))
    echo = next(item for item in found.patterns if item.pattern == "echo:2")
    assert (echo.before["1"].value, echo.after["1"].value, echo.after["5"].value) == (1.0, 0.0, 1.0)
    assert "still among the first 5 that the application reads" in echo.note


def test_a_change_that_lets_more_in_is_a_regression(ledger: Ledger) -> None:
    found = compare(run(ledger, True), run(ledger, None))
    assert [line.partition(":")[0] for line in found.regressions] == ["echo", "keywords"]


def test_the_same_run_twice_changes_nothing(ledger: Ledger) -> None:
    found = compare(run(ledger, None), run(ledger, None))
    assert all(item.change["5"].value == 0 and item.change["5"].p is None for item in found.patterns)
    assert found.regressions == []


def test_only_what_both_have_is_compared_and_said_so(ledger: Ledger) -> None:
    found = compare(run(ledger, None), run(ledger, None, ["echo:2"], QUESTIONS[:5], k=3))
    assert found.k == 3
    assert {item.before["3"].n for item in found.patterns} == {5}
    assert len([w for w in found.warnings if "only those are compared" in w]) == 2
    assert "k differs: 5 and 3" in found.warnings


def test_nothing_in_common_is_refused(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="no question or no pattern in common"):
        compare(run(ledger, None), run(ledger, None, questions=["Is there a bell in the harbour?"]))


def test_inconclusive_questions_are_left_out(ledger: Ledger) -> None:
    class Failing(Demoting):
        def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
            replies = self.corpus.retrieve(queries, k)
            return [Reply(error="timed out") if q == QUESTIONS[0] else r for q, r in zip(queries, replies, strict=True)]

    corpus = MemoryCorpus(RECORDS)
    target = Target(corpus, Failing(corpus, False), corpus)
    after = run_mode_a(target, make_queries(QUESTIONS), parse_doses(["echo:2"]), RunOptions(), ledger)
    found = compare(run(ledger, None), after)
    echo = next(item for item in found.patterns if item.pattern == "echo:2")
    assert echo.before["5"].n == len(QUESTIONS) - 1
    assert any("not everything could be told" in w for w in found.warnings)
