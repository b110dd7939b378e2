"""Sweeping after a crash: from the ledger, from the store alone, and never what is somebody else's."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from darnel.core.corpus import Record, Target
from darnel.core.errors import TargetError, UsageError
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import CampaignRow, Ledger
from darnel.core.planting.recovery import find_by_ledger, find_in_target, foreign_plants, sweep
from tests.core.planting.test_campaign import EDITS, Queueing
from tests.support.corpora import make_records
from tests.support.faulty import CannotRemove, FaultyCorpus, NeverRemoves
from tests.support.planting import make_plants, states

RECORDS = make_records()
OWN = {r.id: r for r in RECORDS}


def target_of(corpus: FaultyCorpus) -> Target:
    return Target(corpus, corpus, corpus)


def crashed(corpus: FaultyCorpus, ledger: Ledger, count: int = 4) -> list[Plant]:
    """A campaign whose process died after it planted."""
    campaign = Campaign(corpus, ledger, spec="memory:somewhere").__enter__()
    plants = make_plants(campaign, count)
    campaign.plant(plants)
    campaign.hold()
    campaign.close()
    ledger.set_campaign(campaign.id, "open")
    with sqlite3.connect(ledger.path) as db:
        db.execute("UPDATE campaign SET pid=?, born=5.0", (2**22 + 7,))
    return plants


def by_ledger(ledger: Ledger, corpus: FaultyCorpus) -> list[tuple[object, Target | None]]:
    return list(find_by_ledger(ledger, lambda _row: target_of(corpus)))


WAYS: dict[str, Callable[[Ledger, FaultyCorpus], list]] = {
    "ledger": by_ledger,
    "target and ledger": lambda ledger, corpus: [
        (f, target_of(corpus)) for f in find_in_target(target_of(corpus), ledger)
    ],
    "store alone": lambda _ledger, corpus: [(f, target_of(corpus)) for f in find_in_target(target_of(corpus), None)],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_crashed_campaign_is_found_and_swept(ledger: Ledger, way: str) -> None:
    corpus = FaultyCorpus(RECORDS)
    plants = crashed(corpus, ledger)
    ((found, target),) = WAYS[way](ledger, corpus)
    assert found.plants == found.present == {p.id for p in plants}
    assert not found.running and found.problem is None
    swept = sweep(found, target, ledger, within=0.3)
    assert swept.removed == {p.id for p in plants}
    assert swept.leftovers == ()
    assert corpus.records == OWN
    if way != "store alone":
        assert ledger.campaigns() == []
        assert set(states(ledger, plants[0].campaign).values()) == {"removed"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("edit", EDITS)
def test_a_plant_that_the_owner_edited_is_left_alone_and_named(ledger: Ledger, way: str, edit: str) -> None:
    corpus = FaultyCorpus(RECORDS)
    plants = crashed(corpus, ledger)
    edited = EDITS[edit](corpus.records[plants[2].id])
    corpus.records[edited.id] = edited
    ((found, target),) = WAYS[way](ledger, corpus)
    swept = sweep(found, target, ledger, within=0.3)
    assert corpus.records == {**OWN, edited.id: edited}
    if way == "store alone" and edit in ("stamp gone", "metadata gone"):
        assert swept.leftovers == ()  # nothing in the store says any more that the kit wrote it
    else:
        assert [(left.id, left.state) for left in swept.leftovers] == [(edited.id, "changed")]
    if way == "ledger":
        assert [row.id for row in ledger.campaigns()] == [plants[0].campaign]  # and named again by the next sweep
        ((again, _),) = by_ledger(ledger, corpus)
        assert again.plants == {edited.id}


@pytest.mark.parametrize("broken", [NeverRemoves, CannotRemove])
def test_what_cannot_be_removed_stays_in_the_ledger(ledger: Ledger, broken: type[FaultyCorpus]) -> None:
    corpus = broken(RECORDS)
    plants = crashed(corpus, ledger)
    ((found, target),) = by_ledger(ledger, corpus)
    assert {left.id for left in sweep(found, target, ledger, within=0.2).leftovers} == {p.id for p in plants}
    assert set(states(ledger, plants[0].campaign).values()) == {"leftover"}
    healed = FaultyCorpus(corpus.records.values())
    healed._identity = corpus._identity
    ((found, target),) = by_ledger(ledger, healed)
    assert sweep(found, target, ledger, within=0.2).leftovers == ()
    assert healed.records == OWN


def test_a_campaign_of_a_living_process_is_left_alone(ledger: Ledger) -> None:
    corpus = FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger, spec="memory:x") as campaign:
        campaign.plant(make_plants(campaign, 2))
        ((found, target),) = by_ledger(ledger, corpus)
        assert found.running and target is None
        ((found, _),) = WAYS["target and ledger"](ledger, corpus)
        assert found.running


def test_two_campaigns_are_told_apart(ledger: Ledger) -> None:
    corpus = FaultyCorpus(RECORDS)
    first, second = crashed(corpus, ledger), crashed(corpus, ledger, 3)
    assert foreign_plants(corpus) == 7
    found = {item.campaign: (item, target) for item, target in WAYS["store alone"](ledger, corpus)}
    assert {c: len(f.plants) for c, (f, _) in found.items()} == {first[0].campaign: 4, second[0].campaign: 3}
    sweep(*found[first[0].campaign], ledger, within=0.3)
    assert corpus.records.keys() == OWN.keys() | {p.id for p in second}


def test_a_corpus_that_was_made_anew_is_not_touched(ledger: Ledger) -> None:
    crashed(FaultyCorpus(RECORDS), ledger)
    anew = FaultyCorpus(RECORDS)
    ((found, target),) = by_ledger(ledger, anew)
    assert target is None
    assert found.problem is not None and "deleted and made anew" in found.problem
    assert find_in_target(target_of(anew), ledger) == []


def test_a_corpus_that_cannot_be_opened_or_read_is_a_problem_not_a_crash(ledger: Ledger) -> None:
    class Unreadable(FaultyCorpus):
        def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
            raise ConnectionError("refused")

    corpus = Unreadable(RECORDS)
    corpus._identity = (good := FaultyCorpus(RECORDS))._identity
    crashed(good, ledger)

    def gone(_row: CampaignRow) -> Target:
        raise UsageError("no such place")

    ((found, target),) = find_by_ledger(ledger, gone)
    assert (found.problem, target) == ("no such place", None)
    ((found, target),) = by_ledger(ledger, corpus)
    assert found.problem == "reading the corpus failed: ConnectionError: refused"
    with pytest.raises(TargetError, match="reading the corpus failed"):
        find_in_target(target_of(corpus), ledger)


def test_a_corpus_without_a_reader_is_swept_by_the_ledger_alone(ledger: Ledger) -> None:
    corpus = FaultyCorpus(RECORDS)
    plants = crashed(corpus, ledger)
    bare = Target(corpus)
    assert find_in_target(bare, None) == []
    (found,) = find_in_target(bare, ledger)
    assert sweep(found, bare, ledger).removed == {p.id for p in plants}
    assert corpus.records == OWN


def test_a_forged_stamp_on_an_owners_record_removes_nothing(ledger: Ledger) -> None:
    corpus = FaultyCorpus(RECORDS)
    plants = crashed(corpus, ledger)
    forged = replace(RECORDS[3], metadata={**(RECORDS[3].metadata or {}), **corpus.records[plants[0].id].metadata})  # type: ignore[dict-item]
    corpus.records["r3"] = forged
    ((found, target),) = WAYS["store alone"](ledger, corpus)
    swept = sweep(found, target, ledger, within=0.3)
    assert [(left.id, left.state) for left in swept.leftovers] == [("r3", "changed")]
    assert corpus.records == {**OWN, "r3": forged}


def test_a_sweep_without_a_ledger_looks_into_the_stores_queue_first(ledger: Ledger) -> None:
    corpus = Queueing(RECORDS)
    with Campaign(FaultyCorpus(RECORDS), ledger) as campaign:
        corpus.queue += make_plants(campaign, 3)  # sent by a process that was killed; no read shows it
    target = target_of(corpus)
    assert find_in_target(target, None) == []
    (found,) = find_in_target(target, None, flush=True)
    assert sweep(found, target, None).removed == found.plants != frozenset()
    assert corpus.records == OWN
