"""The funnel: what of the plants was delivered, stood in the prompt, came into the answer, and who dropped the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.funnel import BARE, THE_APP, THE_PROMPT, all_sources, follow
from darnel.core.asking.ranking import place, recognise
from darnel.core.corpus import Record, Reply, Source, Step
from darnel.core.errors import InterruptedCampaign
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.results import FUNNEL, Results, Score
from darnel.core.running.runner import run_mode_a
from darnel.patterns.registry import parse_doses
from tests.core.asking.test_evidence import plant
from tests.support import faulty
from tests.support.apps import FakeApp, app_target, everything, without_plants
from tests.support.corpora import make_query_list, make_records

PLANTS = [plant(n) for n in range(4)]
INDEX = PlantIndex(PLANTS)
OWN = [Source(f"r{n}", f"own text {n}") for n in range(4)]
SHOWN = [Source(p.id, p.text) for p in PLANTS]
RECORDS = make_records()
QUERIES = make_query_list()
QUICK = RunOptions(k=4, visible_within=0.3, gone_within=0.3)

# following one reply


def test_a_bare_reply_shows_no_stage() -> None:
    assert follow(Reply(tuple(SHOWN)), INDEX) is BARE
    assert BARE.furthest(PLANTS[0].id) is None


chosen = st.sets(st.integers(0, 3))


@given(chosen, st.lists(chosen, max_size=4), st.none() | chosen, st.none() | chosen, st.none() | chosen)
def test_each_plant_is_followed_and_each_loss_has_a_name(
    found: set[int],
    passed: list[set[int]],
    delivered: set[int] | None,
    prompted: set[int] | None,
    answered: set[int] | None,
) -> None:
    def sources(numbers: set[int]) -> tuple[Source, ...]:
        return (*(SHOWN[n] for n in sorted(numbers)), *OWN)

    def text(numbers: set[int] | None) -> str | None:
        return None if numbers is None else "\n".join(["Q", *(PLANTS[n].text for n in numbers)])

    steps = tuple(Step(f"step {n}", sources(numbers)) for n, numbers in enumerate(passed))
    reply = Reply(
        sources(found),
        None if delivered is None else sources(delivered),
        text(prompted),
        text(answered),
        steps=steps,
    )
    reached = follow(reply, INDEX)
    ids = [p.id for p in PLANTS]

    def named(numbers: set[int] | None) -> frozenset[str] | None:
        return None if numbers is None else frozenset(ids[n] for n in numbers)

    assert reached.in_prompt == named(prompted)
    assert reached.in_answer == named(answered)
    assert reached.delivered == named(None if delivered is None else delivered | (prompted or set()))
    for number, id_ in enumerate(ids):
        stages = (("delivered", reached.delivered), ("in prompt", reached.in_prompt), ("in answer", reached.in_answer))
        came = [stage for stage, at in stages if at is not None and id_ in at]
        assert reached.furthest(id_) == (came[-1] if came else None)
        if number not in found or (delivered is None and prompted is None):
            assert id_ not in reached.dropped
        elif delivered is not None and number not in delivered | (prompted or set()):
            last = max((n for n, numbers in enumerate(passed) if number in numbers), default=-1)
            assert reached.dropped[id_] == (f"step {last + 1}" if last + 1 < len(passed) else THE_APP)
        elif prompted is not None and number not in prompted:
            assert reached.dropped[id_] == THE_PROMPT
        else:
            assert id_ not in reached.dropped


def test_ids_lost_on_the_way_are_known_by_the_marker() -> None:
    joined = Source(None, f"intro {PLANTS[0].text} -- {PLANTS[1].text}")
    reached = follow(Reply(tuple(SHOWN[:3]), (joined,)), INDEX)
    assert reached.delivered == {PLANTS[0].id, PLANTS[1].id}
    assert reached.dropped == {PLANTS[2].id: THE_APP}


def test_what_was_delivered_unseen_stands_behind_the_sources_and_nothing_twice() -> None:
    copy = Source(None, SHOWN[0].text)
    reply = Reply((OWN[0], SHOWN[0]), (SHOWN[0], copy, SHOWN[1], OWN[0], OWN[1]))
    assert all_sources(reply) == (OWN[0], SHOWN[0], SHOWN[1], OWN[1])
    assert all_sources(Reply((OWN[0],))) == (OWN[0],)


# recognising


def recognised(reply: Reply, keep: Any = lambda _p: True, asked: int = 4) -> Any:
    return recognise(reply, INDEX, keep, wanted=4, asked=asked)


def test_a_plant_that_only_the_prompt_or_the_answer_shows_was_retrieved_behind_all_others() -> None:
    reply = Reply(tuple(OWN[:2]), prompt=f"Use this: {PLANTS[0].text}", answer=f"Well, {PLANTS[1].text}")
    listing = recognised(reply)
    for number in (0, 1):
        found = place(listing, PLANTS[number])
        assert found is not None and found.proof == "marker" and found.rank >= 3
    assert place(listing, PLANTS[2]) is None
    assert listing.complete


def test_a_plant_in_list_and_prompt_keeps_its_rank() -> None:
    listing = recognised(Reply((SHOWN[0], OWN[0]), prompt=PLANTS[0].text))
    found = place(listing, PLANTS[0])
    assert found is not None and (found.rank, found.proof) == (1, "id")
    assert len(listing.entries) == 2


def test_what_must_not_compete_does_not_come_in_by_the_prompt() -> None:
    listing = recognised(Reply(tuple(OWN[:1]), prompt=PLANTS[0].text), keep=lambda p: p.id != PLANTS[0].id)
    assert [e.source.id for e in listing.entries] == ["r0"]


# whole runs


def run(app: FakeApp, ledger: Ledger, options: RunOptions = QUICK, **settings: Any) -> Results:
    target = app_target(app, **settings)
    results = run_mode_a(target, QUERIES, parse_doses(["echo:1"]), options, ledger)
    assert app.corpus.records == {r.id: r for r in RECORDS}
    return results


def echo(results: Results) -> Score:
    return next(s for s in results.scores if s.pattern == "echo:1")


def shares(score: Score) -> dict[str, tuple[int, int]]:
    return {stage: (rate.hits, rate.n) for stage, rate in score.funnel.items()}


def fake(**settings: Any) -> FakeApp:
    return FakeApp(faulty.FaultyCorpus(RECORDS), **settings)


def test_every_stage_of_an_application_that_passes_all_on(ledger: Ledger) -> None:
    results = run(fake(quotes=4), ledger)
    assert results.exit_code == 0, (results.errors, results.warnings)
    assert shares(echo(results)) == dict.fromkeys(FUNNEL, (3, 3))
    rows = [o for o in results.observations if o.pattern == "echo:1"]
    assert {(o.stage, o.dropped_by) for o in rows} == {("in answer", None)}
    control = next(s for s in results.scores if s.pattern == "control:1")
    assert shares(control) == {s: (3 if s in ("planted", "visible") else 0, 3) for s in FUNNEL}
    assert results.target.app == "fake app"


@pytest.mark.parametrize(
    ("settings", "came", "dropped", "stage"),
    [
        ({"filters": {"reranker": everything, "cutoff": without_plants}}, (3, 0, 0, 0), "cutoff", "retrieved"),
        ({"filters": {"reranker": without_plants, "cutoff": everything}}, (3, 0, 0, 0), "reranker", "retrieved"),
        ({"prompted": without_plants}, (3, 3, 0, 0), "the prompt", "delivered"),
        ({"quotes": 0}, (3, 3, 3, 0), None, "in prompt"),
    ],
)
def test_who_dropped_them(
    settings: dict[str, Any], came: Sequence[int], dropped: str | None, stage: str, ledger: Ledger
) -> None:
    results = run(fake(**settings), ledger)
    assert results.exit_code == 0
    stages = ("retrieved", "delivered", "in prompt", "in answer")
    assert [shares(echo(results))[s] for s in stages] == [(hits, 3) for hits in came]
    rows = [o for o in results.observations if o.pattern == "echo:1"]
    assert {(o.stage, o.dropped_by) for o in rows} == {(stage, dropped)}
    assert {o.outcome for o in rows} == {"retrieved"}


def test_a_store_that_is_asked_itself_has_the_first_three_stages(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    target = replace(app_target(FakeApp(corpus)), retriever=corpus, store_search=True)
    results = run_mode_a(target, QUERIES, parse_doses(["echo:1"]), QUICK, ledger)
    assert list(echo(results).funnel) == ["planted", "visible", "retrieved"]


@pytest.mark.parametrize(
    ("shows", "stages"),
    [
        (("searched",), ["planted", "visible", "retrieved"]),
        (("searched", "prompt"), ["planted", "visible", "retrieved", "in prompt"]),
        (("delivered",), ["planted", "visible", "retrieved", "delivered"]),
    ],
)
def test_only_the_stages_that_are_seen_are_told(shows: tuple[str, ...], stages: list[str], ledger: Ledger) -> None:
    results = run(fake(shows=shows), ledger)
    assert list(echo(results).funnel) == stages
    assert echo(results).funnel["retrieved"].hits == 3
    assert results.exit_code == 0


@pytest.mark.parametrize(
    ("gate", "settings", "verdict"),
    [
        ("delivered > 0.9", {}, "failed"),
        ("delivered > 0.1", {"filters": {"f": without_plants}}, "passed"),
        ("echo:1 in_prompt >= 1", {}, "failed"),
        ("in_prompt > 0", {"prompted": without_plants}, "passed"),
        ("in_answer > 50%", {"quotes": 4}, "failed"),
        ("in_answer > 0", {"quotes": 0}, "passed"),
        ("in_answer > 0.5", {"shows": ("searched", "prompt")}, "unclear"),
    ],
)
def test_gates_on_stages(gate: str, settings: dict[str, Any], verdict: str, ledger: Ledger) -> None:
    results = run(fake(**settings), ledger, replace(QUICK, gates=[gate]))
    assert results.gates[0].verdict == verdict, results.gates
    assert results.exit_code == {"failed": 1, "passed": 0, "unclear": 2}[verdict]


def test_a_question_that_failed_counts_at_its_worst_in_a_gate(ledger: Ledger) -> None:
    settings = {"quotes": 0, "fails_on": lambda q: q == QUERIES[0].text}
    results = run(fake(**settings), ledger, replace(QUICK, gates=["in_answer > 0.4", "in_answer > 0.3"]))
    assert shares(echo(results))["in answer"] == (0, 2)
    assert [g.verdict for g in results.gates] == ["passed", "unclear"]
    assert results.exit_code == 2
    failed = [o for o in results.observations if o.outcome == "inconclusive"]
    assert {o.detail for o in failed} == {"asking failed: RuntimeError: model overloaded"}
    assert {o.query for o in failed} == {QUERIES[0].id}


# what cannot be seen is never a pass


def inconclusive(results: Results) -> set[str | None]:
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert results.exit_code == 2
    assert all(s.exposure["3"].value is None for s in results.scores)
    return {o.detail for o in results.observations}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shows": ("answer", "prompt")}, "capture failed: of 5 known documents none was seen to come back; look there"),
        ({"fails_on": lambda _q: True}, "capture failed: the application failed when asked for a known document: "
         "RuntimeError: model overloaded"),
        ({"reads": faulty.FaultyCorpus([Record(f"x{n}", r.text and r.text.upper()) for n, r in enumerate(RECORDS)])},
         "capture failed: what the application retrieves is not in this corpus; it reads another store than the one named"),
    ],
)  # fmt: skip
def test_where_capture_fails_nothing_is_planted(settings: dict[str, Any], said: str, ledger: Ledger) -> None:
    app = fake(**settings)
    results = run(app, ledger, replace(QUICK, gates=["exposure@3 > 0.5", "in_answer > 0.5"]), advice="look there")
    assert inconclusive(results) == {said}
    assert (results.cleanup.planted, app.corpus.injected, results.baseline.same) == (0, [], None)
    assert {o.stage for o in results.observations} == {"planned"}
    assert {g.verdict for g in results.gates} == {"unclear"}
    assert len(results.observations) == 9


def test_an_application_that_says_beforehand_that_it_is_closed_is_not_asked(ledger: Ledger) -> None:
    app = fake()
    results = run(app, ledger, closed=lambda: "it pinned its nodes")
    assert inconclusive(results) == {"capture failed: it pinned its nodes"}
    assert app.asked == app.corpus.injected == []


def test_an_application_that_never_shows_plants_though_the_store_does_is_closed(ledger: Ledger) -> None:
    snapshot = faulty.FaultyCorpus(RECORDS)  # a copy of the corpus, taken when it started
    app = fake(reads=snapshot)
    results = run(app, ledger)
    (said,) = inconclusive(results)
    assert said is not None and said.startswith("unreachable: the store holds the plants, and the application did not")
    assert results.cleanup.planted == results.cleanup.removed == 9
    assert {o.stage for o in results.observations} <= {"planned", "planted", "visible"}


def test_an_application_that_fails_when_it_is_asked_for_a_plant_s_own_text_is_no_proof(ledger: Ledger) -> None:
    asked = {q.text for q in QUERIES}
    # it answers its questions without a plant, and knows nothing of long ones once something is planted
    app = fake(reads=faulty.FaultyCorpus(RECORDS))
    app.fails_on = lambda question: question not in asked and bool(app.corpus.injected)
    (said,) = inconclusive(run(app, ledger))
    assert said is not None and "whether one could was not to be told: RuntimeError: model overloaded" in said


def test_a_pattern_that_is_merely_weak_is_not_called_closed(ledger: Ledger) -> None:
    app = fake(k=1)
    results = run(app, ledger, replace(QUICK, k=1))
    control = next(s for s in results.scores if s.pattern == "control:1")
    assert (control.inconclusive, control.exposure["1"].hits) == (0, 0)
    assert results.exit_code == 0


def test_a_target_that_cannot_be_read_has_no_known_document(ledger: Ledger) -> None:
    target = replace(app_target(fake()), reader=None)
    results = run_mode_a(target, QUERIES, parse_doses(["echo:1"]), QUICK, ledger)
    assert inconclusive(results) == {
        "capture failed: the corpus cannot be read, so there is no known document to ask for"
    }


# at an application's pace


def test_progress_counts_each_question_of_an_application(ledger: Ledger) -> None:
    steps: list[tuple[str, int, int]] = []
    run(fake(), ledger, replace(QUICK, progress=lambda *step: steps.append(step)))
    assert {total for _, _, total in steps} == {15}
    done = [d for _, d, _ in steps]
    assert done == sorted(done)
    assert set(done) == set(range(16))
    assert [d for title, d, _ in steps if title == "echo:1"][:4] == [9, 10, 11, 12]


def test_ctrl_c_keeps_what_was_measured_and_asks_nothing_more(ledger: Ledger) -> None:
    app = fake()

    def progress(what: str, done: int, _total: int) -> None:
        if what == "echo:1" and done == 10:
            raise InterruptedCampaign(2)

    started = time.monotonic()
    results = run(app, ledger, replace(QUICK, progress=progress))
    assert time.monotonic() - started < 60
    assert results.run.interrupted and results.exit_code == 2
    outcomes = {
        p: {o.outcome for o in results.observations if o.pattern == p} for p in ("control:1", "honest:1", "echo:1")
    }
    assert outcomes["echo:1"] == {"inconclusive"} and "inconclusive" not in outcomes["control:1"]
    assert results.baseline.same is None
    assert results.cleanup.planted == results.cleanup.removed == 9
    assert (
        len(app.asked) <= 1 + 4 * 3 + 2
    )  # the proof, the baseline and three waves; at most one more under way each time
