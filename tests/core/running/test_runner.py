"""Mode A over a memory corpus: what a run measures, and what it says where it could not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from darnel.adapters.checks import corpus_checks
from darnel.adapters.memory import DenseRanker
from darnel.core.corpus import Check, Record, Reply, Target
from darnel.core.errors import (
    CollisionError,
    EmptyCorpusError,
    LeftoversError,
    PlantError,
    TargetError,
    UnknownNameError,
    UsageError,
)
from darnel.core.options import RunOptions
from darnel.core.pattern import CraftRequest
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.waiting import TRIES
from darnel.core.queries import Query
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.embedders.resolve import resolve_embedder
from darnel.patterns.base import Recipe
from darnel.patterns.registry import parse_doses
from tests.core.planting.test_campaign import EDITS
from tests.support import faulty
from tests.support.corpora import make_query_list, make_records
from tests.support.embedder import hashed
from tests.support.planting import make_plants

RECORDS = make_records()
OWN = {r.id: r for r in RECORDS}
QUERIES = make_query_list()
QUICK = RunOptions(visible_within=0.3, gone_within=0.3)


def run(
    corpus: faulty.FaultyCorpus,
    ledger: Ledger,
    patterns: Sequence[object] = ("echo:1",),
    options: RunOptions = QUICK,
    **target: object,
) -> Results:
    opened = replace(Target(corpus, corpus, corpus), **target)  # type: ignore[arg-type]
    return run_mode_a(opened, QUERIES, parse_doses(patterns), options, ledger)  # type: ignore[arg-type]


def outcomes(results: Results) -> dict[str, int]:
    counted: dict[str, int] = {}
    for row in results.observations:
        counted[row.outcome] = counted.get(row.outcome, 0) + 1
    return counted


def test_a_gate_on_a_pattern_that_is_not_asked_for_is_refused_before_anything_is_written(ledger: Ledger) -> None:
    written: list[str] = []
    corpus = faulty.CallsBack(RECORDS, "inject", lambda: written.append("plants"))
    with pytest.raises(UnknownNameError, match="unknown pattern in --fail-on 'ecko:1'; did you mean 'echo:1'"):
        run(corpus, ledger, options=replace(QUICK, gates=["ecko:1 exposure@5 > 0.2"]))
    assert not written


def test_a_whole_run(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    results = run(corpus, ledger, ["echo:2", "flood:3"])
    assert results.exit_code == 0
    assert [s.pattern for s in results.scores] == ["control:1", "honest:1", "echo:2", "flood:3"]
    assert len(results.observations) == 3 * (1 + 1 + 1 + 3)
    assert all(row.rank is not None and row.proof == "id" for row in results.observations if row.outcome == "retrieved")
    by_label = {s.pattern: s for s in results.scores}
    assert by_label["control:1"].exposure["5"].hits == 0
    assert by_label["echo:2"].exposure["1"].hits == 3
    assert results.cleanup.planted == results.cleanup.removed == 18
    assert results.corpus_digest is not None and results.corpus_digest.same
    assert (results.corpus_digest.kind, results.corpus_digest.count) == ("full", 40)
    assert results.baseline.same and results.baseline.judged_found.n == 3
    assert results.leftovers == results.errors == []
    assert results.target.size == 40
    assert corpus.records == OWN


def test_the_same_seed_gives_the_same_results_and_another_one_others(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    first, again = run(corpus, ledger), run(corpus, ledger)
    other = run(corpus, ledger, options=replace(QUICK, seed=1))
    assert first.observations == again.observations
    assert first.scores == again.scores
    assert {o.marker for o in first.observations}.isdisjoint(o.marker for o in other.observations)


@pytest.mark.parametrize("isolation", ["pattern", "query", "together"])
def test_isolation_says_what_is_planted_at_once(ledger: Ledger, isolation: str) -> None:
    class Peak(faulty.FaultyCorpus):
        peak = 0

        def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
            self.peak = max(self.peak, len(self.records) - 40)
            return super().retrieve(queries, k)

    corpus = Peak(RECORDS)
    results = run(corpus, ledger, ["echo:1", "flood:4"], replace(QUICK, isolation=isolation))  # type: ignore[arg-type]
    assert results.exit_code == 0
    assert corpus.peak == {"pattern": 12, "query": 4, "together": 3 * (1 + 1 + 1 + 4)}[isolation]
    assert corpus.records == OWN


def test_a_store_that_writes_nothing_is_never_a_pass(ledger: Ledger) -> None:
    results = run(faulty.SilentCorpus(RECORDS), ledger, options=replace(QUICK, gates=["exposure@5 > 0.9"]))
    assert results.exit_code == 2
    assert outcomes(results) == {"inconclusive": 9}
    assert all(row.detail is not None and row.detail.startswith("not visible") for row in results.observations)
    assert all(s.exposure["5"].value is None and s.inconclusive == 3 for s in results.scores)
    assert [g.verdict for g in results.gates] == ["unclear"]
    assert not results.passed


def test_a_store_that_writes_and_then_raises_is_measured_and_cleaned(ledger: Ledger) -> None:
    corpus = faulty.WritesThenRaises(RECORDS)
    results = run(corpus, ledger)
    assert corpus.records == OWN
    assert results.leftovers == []
    assert results.exit_code == 2  # the third plant of each wave was never sent
    assert any("the store raised while planting: TimeoutError: no answer within 5 s" in e for e in results.errors)
    assert outcomes(results)["inconclusive"] == 3


def test_a_store_that_does_not_remove_is_found_out_after_the_first_wave(ledger: Ledger) -> None:
    corpus = faulty.NeverRemoves(RECORDS)
    results = run(corpus, ledger, ["echo:1", "flood:3"])
    assert results.exit_code == 3
    assert {left.id for left in results.leftovers} == corpus.records.keys() - OWN.keys()
    assert len(results.leftovers) == 3
    assert {left.plant for left in results.leftovers} == {f"control:1/{q.id}/0" for q in QUERIES}
    late = [row for row in results.observations if not row.pattern.startswith("control")]
    assert {row.detail for row in late} == {"not planted: plants of an earlier wave could not be removed"}


def test_a_slow_store_is_waited_for_and_the_delay_is_reported(ledger: Ledger) -> None:
    corpus = faulty.SlowCorpus(RECORDS, 1.0)
    results = run(corpus, ledger, [], replace(QUICK, visible_within=20.0, isolation="together"))
    assert results.exit_code == 0
    assert results.cleanup.visible_after >= 0.9
    assert corpus.records == OWN


class Chatty(faulty.FaultyCorpus):
    """Raises or answers nothing on chosen questions once something is planted."""

    how = "raise"

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        replies = list(super().retrieve(queries, k))
        if len(self.records) == 40:
            return replies
        if self.how == "raise":
            raise RuntimeError("search failed")
        return [Reply(error="timed out") if self.how == "error" else Reply() for _ in replies]


@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ("raise", "asking failed: RuntimeError: search failed"),
        ("error", "asking failed: timed out"),
        ("nothing", "nothing was returned"),
    ],
)
def test_a_retriever_that_fails_while_planted_fails_its_rows_and_not_the_run(
    ledger: Ledger, how: str, detail: str
) -> None:
    corpus = Chatty(RECORDS)
    corpus.how = how
    results = run(corpus, ledger)
    assert results.exit_code == 2
    assert outcomes(results) == {"inconclusive": 9}
    assert all(row.detail is not None and detail in row.detail for row in results.observations)
    assert corpus.records == OWN


def test_a_retriever_that_fails_before_anything_is_planted_ends_the_run(ledger: Ledger) -> None:
    class Broken(faulty.FaultyCorpus):
        def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
            raise RuntimeError("no index")

    corpus = Broken(RECORDS)
    with pytest.raises(TargetError, match="asking the first questions failed: RuntimeError: no index"):
        run(corpus, ledger)
    assert corpus.injected == []


def test_a_store_that_fails_one_wave_is_asked_on(ledger: Ledger) -> None:
    class Hiccup(faulty.FaultyCorpus):
        reads = 0

        def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
            if self.reads < TRIES and len(ids) == 3 and not self.injected:
                self.reads += 1
                raise ConnectionError("reset")
            return super().read(ids)

    corpus = Hiccup(RECORDS)
    results = run(corpus, ledger)
    details = {row.pattern: row.detail for row in results.observations}
    assert details["control:1"] == "not planted: reading before the first write failed: ConnectionError: reset"
    assert details["echo:1"] is None
    assert results.exit_code == 2
    assert corpus.records == OWN


def test_an_owners_record_under_a_planned_id_stops_the_run_before_any_write(ledger: Ledger) -> None:
    class Squatter(faulty.FaultyCorpus):
        """The owner writes a record of their own under the id that is planned, whatever it is."""

        mine: Record | None = None

        def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
            if self.mine is None and len(ids) == 3:
                self.mine = self.records[ids[1]] = Record(ids[1], "mine", {"tenant": "acme"})
            return super().read(ids)

    corpus = Squatter(RECORDS)
    with pytest.raises(CollisionError, match="is the owner's"):
        run(corpus, ledger)
    assert corpus.injected == corpus.removed == []
    assert corpus.mine is not None
    assert corpus.records == {**OWN, corpus.mine.id: corpus.mine}


@pytest.mark.parametrize("edit", ["text", "metadata", "stamp gone"])
def test_a_plant_that_the_owner_edits_during_the_run_is_left_alone_and_named(ledger: Ledger, edit: str) -> None:
    edited: list[Record] = []

    def owner() -> None:
        if not edited:
            id_ = next(i for i in corpus.records if i not in OWN)
            edited.append(EDITS[edit](corpus.records[id_]))
            corpus.records[id_] = edited[0]

    corpus = faulty.CallsBack(RECORDS, "retrieve", owner)
    results = run(corpus, ledger)
    assert results.exit_code == 3
    assert [(left.id, left.state) for left in results.leftovers] == [(edited[0].id, "changed")]
    assert corpus.records == {**OWN, edited[0].id: edited[0]}
    assert outcomes(results).get("inconclusive", 0) == 0  # the run went on


def test_a_change_to_the_owners_records_during_the_run_is_found(ledger: Ledger) -> None:
    def owner() -> None:
        corpus.records["r3"] = Record("r3", "rewritten", RECORDS[3].metadata, RECORDS[3].vector)

    corpus = faulty.CallsBack(RECORDS, "retrieve", owner)
    results = run(corpus, ledger)
    assert results.exit_code == 2
    assert results.corpus_digest is not None
    assert results.corpus_digest.changed == ["r3"]
    assert results.corpus_digest.same is False


def test_strangers_plants_are_in_no_rank_and_no_figure(ledger: Ledger) -> None:
    # by vectors: BM25 weighs a word by how many records hold it, and plants are records
    corpus = faulty.FaultyCorpus(RECORDS, DenseRanker(resolve_embedder(hashed)))
    alone = run(corpus, ledger)
    with Campaign(corpus, ledger) as other:
        other.plant(make_plants(other, 30, before=[q.text for q in QUERIES]))
        crowded = run(corpus, ledger, checks=lambda: corpus_checks(corpus, corpus))
    assert crowded.scores == alone.scores
    assert crowded.observations == alone.observations
    assert crowded.queries == alone.queries
    assert crowded.target.size == 40
    assert any("plants already there: 30" in w for w in crowded.warnings)


def test_refused_before_anything(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(EmptyCorpusError, match="is empty: fill it first"):
        run(faulty.FaultyCorpus([]), ledger)
    with pytest.raises(TargetError, match="answers no questions"):
        run(corpus, ledger, retriever=None)
    failing = lambda: [Check("embedder", False, "none given", "Give one.")]  # noqa: E731
    with pytest.raises(TargetError, match=r"embedder: none given\. Give one\."):
        run(corpus, ledger, checks=failing)
    with pytest.raises(UnknownNameError, match="did you mean 'embedder'"):
        run(corpus, ledger, options=replace(QUICK, accept=["embeder"]), checks=failing)
    with pytest.raises(UsageError, match="at least one pattern"):
        run_mode_a(Target(corpus, corpus), QUERIES, [], QUICK, ledger)
    with pytest.raises(UnknownNameError, match="metric"):
        run(corpus, ledger, options=replace(QUICK, gates=["exposre@5 > 0.1"]))
    assert corpus.injected == []
    assert ledger.campaigns(unfinished=False) == []
    accepted = run(corpus, ledger, options=replace(QUICK, accept=["embedder"]), checks=failing)
    assert accepted.exit_code == 0
    assert "embedder: none given. Give one." in accepted.warnings


def crafts(text: str) -> Recipe:
    return Recipe("own", "own", "times", lambda request: text.format(marker=request.marker))


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (crafts("no marker"), "without its marker"),
        (crafts("{marker} \0"), "a NUL character"),
        (crafts(""), "has an empty text"),
        (crafts("{marker} " + "x" * 9_000_000), "alone is"),
    ],
)
def test_a_bad_pattern_stops_the_run_before_the_first_write(ledger: Ledger, recipe: Recipe, message: str) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(PlantError, match=message):
        run(corpus, ledger, [recipe])
    assert corpus.injected == []


def test_hostile_corpus_text_stops_no_run(ledger: Ledger) -> None:
    hostile = (
        "How do flour and yeast go with oven? \0 \ud800 \x1b[31m \u202e <script>alert(1)</script> " + "x" * 1_000_000
    )
    records = [
        Record(f"h{i}\x1b[2J\u202e", hostile, {"ti\u202etle": f"\x1b]0;owned\x07{i}", "tenant": "acme"})
        for i in range(3)
    ]
    corpus = faulty.FaultyCorpus([*RECORDS, *records])
    results = run(corpus, ledger, ["echo:1", "keywords:2"])
    assert results.exit_code == 0
    assert set(corpus.records) == {*OWN, *(r.id for r in records)}
    assert results.to_json()


def test_a_surrogate_in_a_records_id_breaks_no_result_document(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus([*RECORDS, Record("bad\ud800id", "How do flour and yeast go with oven?")])
    results = run(corpus, ledger)
    assert b"bad" in results.to_json()


def test_leftovers_outrank_what_ended_the_run(ledger: Ledger) -> None:
    class Poisoned(faulty.NeverRemoves):
        """Its second wave is refused after the first could not be removed."""

        def inject(self, plants: Sequence[Plant]) -> None:
            super().inject(plants)
            ledger.close()

    with pytest.raises(LeftoversError, match="run: darnel sweep"):
        run(Poisoned(RECORDS), ledger)


def test_progress_and_notices(ledger: Ledger) -> None:
    steps: list[tuple[str, int, int]] = []
    run(faulty.FaultyCorpus(RECORDS), ledger, options=replace(QUICK, progress=lambda *step: steps.append(step)))
    titles = ["asking with nothing planted", "control:1", "honest:1", "echo:1", "asking again"]
    assert steps == [(title, 3 * number, 15) for number, title in enumerate(titles)]


def test_a_pattern_of_ones_own(ledger: Ledger) -> None:
    def text(request: CraftRequest) -> str:
        return f"{request.query} {' '.join(request.passages[:1])} {request.marker}"

    own = Recipe("own", "The query and the best passage.", "times", text, needs_passages=True)
    results = run(faulty.FaultyCorpus(RECORDS), ledger, [own])
    assert results.scores[-1].pattern == "own:1"
    assert results.scores[-1].exposure["1"].hits == 3


def test_queries_keep_their_ids(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    odd = [Query("a/0", "flour yeast?"), Query("a", "sail mast?"), Query("ü \x1b[1m|", "hive honey?")]
    results = run_mode_a(Target(corpus, corpus, corpus), odd, parse_doses(["echo:1"]), QUICK, ledger)
    assert [q.id for q in results.queries] == ["a/0", "a", "ü \x1b[1m|"]
    assert corpus.records == OWN


def test_a_question_that_finds_nothing_does_not_end_the_run(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    queries = [*QUERIES, Query("none", "xyzzy")]
    results = run_mode_a(Target(corpus, corpus, corpus), queries, parse_doses(["echo:1"]), QUICK, ledger)
    assert {row.query for row in results.observations if row.pattern == "honest:1"} == {q.id for q in queries}
    assert corpus.records == OWN
