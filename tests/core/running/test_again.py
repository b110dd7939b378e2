"""What an approximate index lost of a pattern is planted and asked again, after the pattern's last wave."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import pytest

from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import CorpusDescription, Record, Reply, Target
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.core.results import Results
from darnel.core.running import runner
from darnel.core.running.again import ROUNDS
from darnel.core.running.runner import run_mode_a
from darnel.patterns.registry import parse_doses
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus

QUERIES = [Query(f"q{n}", f"How do flour and yeast go with oven number {n}?") for n in range(10)]
LOST = {"q1", "q4", "q9"}


class ForgetfulCorpus(FaultyCorpus):
    """An index that shows the plants of some queries only once they were planted for the ``shows``-th time."""

    max_batch = 1_000

    def __init__(self, records: Sequence[Record], lost: Collection[str], shows: int) -> None:
        super().__init__(records)
        self.lost, self.shows = lost, shows
        self.times: Counter[str] = Counter()
        self.waves: list[list[Plant]] = []
        self.asked: Callable[[], None] = lambda: None

    def describe(self) -> CorpusDescription:
        said = super().describe()
        return replace(said, capabilities=replace(said.capabilities, exact=False))

    def inject(self, plants: Sequence[Plant]) -> None:
        self.waves.append(list(plants))
        self.times.update(p.id for p in plants)
        super().inject(plants)

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self.asked()
        planted = PlantIndex(p for wave in self.waves for p in wave)
        return [
            replace(reply, sources=tuple(s for s in reply.sources if self._shown(planted.match(s))))
            for reply in super().retrieve(queries, k)
        ]

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float]:
        """Better than any score of BM25 here: all belong at the top of their list."""
        return [1e6] * len(plants)

    def _shown(self, match: object) -> bool:
        plants: tuple[Plant, ...] = getattr(match, "plants", ())
        return all(p.query_id not in self.lost or self.times[p.id] >= self.shows for p in plants)


@pytest.fixture(autouse=True)
def small_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MOST_AT_ONCE", 4)


def run(corpus: ForgetfulCorpus, ledger: Ledger, **options: object) -> Results:
    chosen = RunOptions(visible_within=0.3, gone_within=0.3, **options)  # type: ignore[arg-type]
    return run_mode_a(Target(corpus, corpus, corpus), QUERIES, parse_doses(["echo:3"], controls=False), chosen, ledger)


def queries_of(wave: Sequence[Plant]) -> list[str]:
    return [plant.query_id for plant in wave]


def test_lost_plants_of_all_waves_are_planted_again_together(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)
    results = run(corpus, ledger)
    assert {o.outcome for o in results.observations} == {"retrieved"}
    assert [queries_of(w) for w in corpus.waves] == [
        ["q0", "q1", "q2", "q3"],
        ["q4", "q5", "q6", "q7"],
        ["q8", "q9"],
        ["q1", "q4"],  # at most half as many at once as at first
        ["q9"],
    ]
    (warning,) = [w for w in results.warnings if "asked again" in w]
    assert warning.startswith("echo:3: 3 questions could not be told at first")
    assert results.exit_code == 0
    assert not corpus.plants()


def test_what_stays_lost_is_inconclusive_after_three_more_times(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=99)
    results = run(corpus, ledger)
    told = {o.query: o for o in results.observations}
    assert {q for q, o in told.items() if o.outcome == "inconclusive"} == LOST
    assert {q for q, o in told.items() if o.outcome == "retrieved"} == {q.id for q in QUERIES} - LOST
    assert "unreachable" in (told["q1"].detail or "")
    assert Counter(q for w in corpus.waves for q in queries_of(w)) == {
        q.id: 1 + (ROUNDS if q.id in LOST else 0) for q in QUERIES
    }


def test_a_query_at_a_time_stays_a_query_at_a_time(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)
    results = run(corpus, ledger, isolation="query")
    assert {o.outcome for o in results.observations} == {"retrieved"}
    assert all(len(wave) == 1 for wave in corpus.waves)
    assert len([w for w in results.warnings if "asked again" in w]) == 1


def test_an_interruption_while_planting_again_keeps_the_first_answers(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)
    corpus.asked = lambda: signal.raise_signal(signal.SIGINT) if len(corpus.waves) > 3 and corpus.plants() else None
    results = run(corpus, ledger)
    assert results.run.interrupted
    assert {o.query for o in results.observations if o.outcome == "retrieved"} == {q.id for q in QUERIES} - LOST
    assert {o.query for o in results.observations if o.outcome == "inconclusive"} == LOST
    assert not corpus.plants()
    assert [w for w in results.warnings if "asked again" in w]


@pytest.mark.parametrize("stamped", [True, False])
def test_a_plant_that_somebody_edited_is_not_written_over(ledger: Ledger, stamped: bool) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)

    def edit() -> None:
        for plant in corpus.plants() if len(corpus.waves) == 1 else ():
            if (plant.metadata or {}).get("source") != "edited" and plant.id == corpus.waves[0][1].id:
                kept = dict(plant.metadata or {}) if stamped else {}
                corpus.records[plant.id] = Record(plant.id, "The owner's words.", {**kept, "source": "edited"})

    corpus.asked = edit
    results = run(corpus, ledger)
    edited = corpus.waves[0][1]
    assert corpus.records[edited.id].text == "The owner's words."
    assert [(left.id, left.state) for left in results.leftovers] == [(edited.id, "changed")]
    assert {o.query for o in results.observations if o.outcome == "inconclusive"} == {"q1"}
    assert results.exit_code == 3


def test_an_answer_that_failed_takes_no_place(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)

    def fail() -> None:
        if len(corpus.waves) > 3 and corpus.plants():
            raise TimeoutError("no answer within 5 s")

    corpus.asked = fail
    results = run(corpus, ledger)
    told = {o.query: o for o in results.observations}
    assert {q for q, o in told.items() if o.outcome == "inconclusive"} == LOST
    assert all("unreachable" in (told[q].detail or "") for q in LOST)
    assert any("no answer within 5 s" in error for error in results.errors)
    assert not corpus.plants()


def test_an_interruption_while_planting_again_loses_no_error(ledger: Ledger) -> None:
    corpus = ForgetfulCorpus(make_records(), LOST, shows=2)

    def fail_then_stop() -> None:
        if corpus.plants() and len(corpus.waves) == 4:
            raise TimeoutError("no answer within 5 s")
        if corpus.plants() and len(corpus.waves) == 5:
            signal.raise_signal(signal.SIGINT)

    corpus.asked = fail_then_stop
    results = run(corpus, ledger)
    assert results.run.interrupted
    assert any("no answer within 5 s" in error for error in results.errors)
    assert not corpus.plants()
