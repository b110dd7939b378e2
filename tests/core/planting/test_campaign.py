"""Nothing stays behind: whatever the store does, each plant is removed, or named as left over."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record
from darnel.core.errors import CollisionError, LedgerError, LeftoversError, PlantError, TargetError, UsageError
from darnel.core.plant import Plant
from darnel.core.planting import removal
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from tests.core.asking.test_evidence import plant
from tests.support import faulty
from tests.support.command import environment
from tests.support.corpora import make_records
from tests.support.planting import make_plants, states

QUICK = {"visible_within": 0.3, "gone_within": 0.3}
RECORDS = make_records()
OWN = {r.id: r for r in RECORDS}


def test_what_is_planted_is_there_and_then_gone(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger, spec="x:y") as campaign:
        plants = make_plants(campaign)
        planting = campaign.plant(plants)
        assert planting.visible == {p.id for p in plants} <= corpus.records.keys()
        assert not planting.missing and planting.error is None
        assert set(states(ledger, campaign.id).values()) == {"written"}
    assert corpus.records == OWN
    assert campaign.leftovers == []
    assert (campaign.planted, campaign.removed) == (10, 10)
    assert [len(ids) for ids in corpus.injected] == [2] * 5
    assert set(states(ledger, campaign.id).values()) == {"removed"}
    assert ledger.campaigns() == []


def test_every_batch_is_in_the_ledger_before_the_store_sees_it(ledger: Ledger) -> None:
    seen: list[tuple[set[str], set[str]]] = []

    class Watching(faulty.FaultyCorpus):
        def inject(self, plants: Sequence[Plant]) -> None:
            with sqlite3.connect(ledger.path) as db:  # from outside: what is committed
                known = {row[0] for row in db.execute("SELECT id FROM plant WHERE state='writing'")}
            seen.append(({p.id for p in plants}, known))
            super().inject(plants)

    with Campaign(Watching(RECORDS), ledger) as campaign:
        campaign.plant(make_plants(campaign))
    assert len(seen) == 5
    assert all(batch <= known for batch, known in seen)
    assert all(len(known) == 2 * number for number, (_, known) in enumerate(seen, 1))


def test_a_store_that_writes_nothing_is_not_believed(ledger: Ledger) -> None:
    corpus = faulty.SilentCorpus(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        planting = campaign.plant(make_plants(campaign))
        assert planting.visible == frozenset()
        assert len(planting.missing) == 10
        assert planting.delay >= 0.3
    assert campaign.planted == 0
    assert campaign.leftovers == []


def test_a_store_that_writes_and_then_raises_is_cleaned(ledger: Ledger) -> None:
    corpus = faulty.WritesThenRaises(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        planting = campaign.plant(make_plants(campaign))
        assert planting.error == "TimeoutError: no answer within 5 s"
        assert len(planting.visible) == 2
    assert corpus.records == OWN
    assert campaign.leftovers == []


def test_a_store_that_raises_on_the_third_batch_is_cleaned_of_the_first_two(ledger: Ledger) -> None:
    corpus = faulty.RaisesOnBatch(RECORDS, 3)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign)
        planting = campaign.plant(plants)
        assert planting.visible == {p.id for p in plants[:4]} == corpus.records.keys() - OWN.keys()
        assert planting.missing == {p.id for p in plants[4:]}
        assert planting.error == "ConnectionError: reset by peer"
        assert len(states(ledger, campaign.id)) == 6  # what was never sent was never announced
    assert corpus.records == OWN
    assert len(corpus.injected) == 2
    assert set(states(ledger, campaign.id).values()) == {"removed"}


@pytest.mark.parametrize("broken", [faulty.NeverRemoves, faulty.CannotRemove])
def test_a_store_that_does_not_remove_leaves_leftovers_that_are_named(
    ledger: Ledger, broken: type[faulty.FaultyCorpus]
) -> None:
    corpus, told = broken(RECORDS), list[str]()
    with Campaign(corpus, ledger, **QUICK, notify=told.append) as campaign:
        plants = make_plants(campaign, 3)
        campaign.plant(plants)
    assert {left.id for left in campaign.leftovers} == {p.id for p in plants}
    assert {left.state for left in campaign.leftovers} == {"leftover"}
    why = "still readable after its removal" if broken is faulty.NeverRemoves else "PermissionError: read-only user"
    assert {left.reason for left in campaign.leftovers} == {why}
    assert all(any(p.id in line for line in told) for p in plants)
    assert set(states(ledger, campaign.id).values()) == {"leftover"}
    assert [row.state for row in ledger.campaigns()] == ["open"]


def test_a_store_that_refuses_one_removal_is_asked_for_the_others(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    class RefusesOne(faulty.FaultyCorpus):
        refused = ""

        def remove(self, ids: Sequence[str]) -> None:
            super().remove([id_ for id_ in ids if id_ != self.refused])
            if self.refused in ids:
                raise PermissionError("that one is locked")

    monkeypatch.setattr(removal, "READ_CHUNK", 2)
    corpus = RefusesOne(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign, 6)
        campaign.plant(plants)
        corpus.refused = min(p.id for p in plants)
        gone = campaign.remove()
        assert gone.removed == {p.id for p in plants} - {corpus.refused}
        assert [(left.id, left.reason) for left in gone.leftovers] == [
            (corpus.refused, "PermissionError: that one is locked")
        ]
        corpus.refused = ""
    assert corpus.records == OWN


def test_a_slow_store_is_waited_for(ledger: Ledger) -> None:
    corpus = faulty.SlowCorpus(RECORDS, 1.0)
    with Campaign(corpus, ledger, visible_within=20.0) as campaign:
        planting = campaign.plant(make_plants(campaign))
        assert len(planting.visible) == 10
        assert planting.delay >= 0.9
    assert corpus.records == OWN


@pytest.mark.parametrize("delay", [0.4, 1.2])
def test_a_slow_store_left_before_it_showed_anything_is_clean_in_the_end(ledger: Ledger, delay: float) -> None:
    corpus = faulty.SlowCorpus(RECORDS, delay)
    campaign = Campaign(corpus, ledger, visible_within=2.5)

    def left_at_once(_plants: object, _within: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched, pytest.raises(KeyboardInterrupt), campaign:
        patched.setattr("darnel.core.planting.campaign.await_visible", lambda *args: left_at_once(*args[1:]))
        campaign.plant(make_plants(campaign))
    time.sleep(delay)
    corpus.land()
    assert corpus.records == OWN
    assert campaign.leftovers == []


def test_what_lands_after_the_deadline_is_looked_for_again_at_the_end(ledger: Ledger) -> None:
    corpus = faulty.SlowCorpus(RECORDS, 0.8)
    with Campaign(corpus, ledger, visible_within=0.2, gone_within=5.0) as campaign:
        plants = make_plants(campaign)
        assert not campaign.plant(plants).visible
        campaign.remove(plants)
        assert set(states(ledger, campaign.id).values()) == {"writing"}  # not proved gone: never seen
    corpus.land()
    assert corpus.records == OWN
    assert not corpus.waiting


class Queueing(faulty.FaultyCorpus):
    """Keeps writes in a queue that only the next write works off, as a Chroma server whose client died."""

    def __init__(self, records: Sequence[Record]) -> None:
        super().__init__(records)
        self.queue: list[Plant] = []

    def inject(self, plants: Sequence[Plant]) -> None:
        self.queue += plants
        raise TimeoutError

    def remove(self, ids: Sequence[str]) -> None:
        MemoryCorpus.inject(self, self.queue)
        self.queue = []
        super().remove(ids)


def test_a_write_that_no_read_shows_before_the_next_write_is_removed_too(ledger: Ledger) -> None:
    corpus = Queueing(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign, 2)
        assert not campaign.plant(plants).visible
    corpus.remove(["whatever"])
    assert corpus.records == OWN


def test_an_exception_in_the_middle_removes_everything(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(ZeroDivisionError), Campaign(corpus, ledger) as campaign:
        campaign.plant(make_plants(campaign))
        raise ZeroDivisionError
    assert corpus.records == OWN


def test_leftovers_outrank_the_exception_that_ended_the_campaign(ledger: Ledger) -> None:
    corpus = faulty.NeverRemoves(RECORDS)
    with (
        pytest.raises(LeftoversError, match="run: darnel sweep") as raised,
        Campaign(corpus, ledger, **QUICK) as campaign,
    ):
        plants = make_plants(campaign, 2)
        campaign.plant(plants)
        raise ZeroDivisionError
    assert set(raised.value.ids) == {p.id for p in plants}
    assert raised.value.exit_code == 3
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


def test_a_ledger_that_fails_before_the_write_stops_the_write(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(LedgerError), Campaign(corpus, ledger) as campaign:
        with sqlite3.connect(ledger.path) as db:
            db.execute("CREATE TRIGGER full BEFORE INSERT ON plant BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
        campaign.plant(make_plants(campaign))
    assert corpus.injected == []


def test_a_ledger_that_fails_after_the_write_leaves_the_store_clean(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(LedgerError, match="disk is full"), Campaign(corpus, ledger) as campaign:
        with sqlite3.connect(ledger.path) as db:
            db.execute("CREATE TRIGGER full BEFORE UPDATE ON plant BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
        campaign.plant(make_plants(campaign))
    assert len(corpus.injected) == 5
    assert corpus.records == OWN


def test_a_record_of_the_owners_under_a_planned_id_stops_everything(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(CollisionError, match="is the owner's"), Campaign(corpus, ledger) as campaign:
        plants = make_plants(campaign)
        mine = Record(plants[7].id, "mine", {"tenant": "acme"}, [1.0, 2.0])
        corpus.records[mine.id] = mine
        campaign.plant(plants)
    assert corpus.injected == corpus.removed == []
    assert corpus.records == {**OWN, mine.id: mine}
    assert corpus.records[mine.id] is mine
    assert states(ledger, campaign.id) == {}


def test_another_campaigns_plant_under_a_planned_id_stops_everything(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger, id="20260101-000000-ff") as theirs:
        stranger = make_plants(theirs, 1)[0]
        theirs.plant([stranger])
        with (
            pytest.raises(CollisionError, match="is a plant of campaign 20260101-000000-ff"),
            Campaign(corpus, ledger) as ours,
        ):
            ours.plant([*make_plants(ours, 3), replace(make_plants(ours, 4)[3], id=stranger.id)])
        assert corpus.injected == [[stranger.id]]
        assert stranger.id in corpus.records


EDITS = {
    "text": lambda r: replace(r, text=f"{r.text} and more"),
    "metadata": lambda r: replace(r, metadata={**r.metadata, "tenant": "other"}),
    "a metadata key more": lambda r: replace(r, metadata={**r.metadata, "reviewed": True}),
    "a metadata key less": lambda r: replace(r, metadata={k: v for k, v in r.metadata.items() if k != "tenant"}),
    "stamp gone": lambda r: replace(r, metadata={"tenant": "acme"}),
    "metadata gone": lambda r: replace(r, metadata=None),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_plant_that_the_owner_edited_is_left_alone_and_named(ledger: Ledger, edit: str) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign)
        campaign.plant(plants)
        edited = EDITS[edit](corpus.records[plants[4].id])
        corpus.records[edited.id] = edited
    assert corpus.records == {**OWN, edited.id: edited}
    assert [(left.id, left.state) for left in campaign.leftovers] == [(edited.id, "changed")]
    assert states(ledger, campaign.id)[edited.id] == "changed"


@pytest.mark.parametrize("edit", EDITS)
def test_planting_again_writes_over_no_edit(ledger: Ledger, edit: str) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger, **QUICK) as campaign:
        plants = make_plants(campaign)
        campaign.plant(plants)
        campaign.plant(plants)  # untouched, they may be written any number of times
        edited = EDITS[edit](corpus.records[plants[4].id])
        corpus.records[edited.id] = edited
        with pytest.raises(CollisionError, match=edited.id):
            campaign.plant(plants)
        assert corpus.records[edited.id] == edited
    assert [(left.id, left.state) for left in campaign.leftovers] == [(edited.id, "changed")]


def test_a_store_that_cannot_be_read_before_the_first_write_is_not_written(ledger: Ledger) -> None:
    class Unreadable(faulty.FaultyCorpus):
        def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
            raise ConnectionError("refused")

    corpus = Unreadable(RECORDS)
    match = "reading before the first write failed: ConnectionError: refused"
    with pytest.raises(TargetError, match=match), Campaign(corpus, ledger, **QUICK) as campaign:
        campaign.plant(make_plants(campaign))
    assert corpus.injected == []


def test_a_read_that_fails_now_and_then_is_tried_again(ledger: Ledger) -> None:
    class Shaky(faulty.FaultyCorpus):
        reads, writing = 0, False

        def inject(self, plants: Sequence[Plant]) -> None:
            self.writing = True
            super().inject(plants)
            self.writing = False

        def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
            self.reads += not self.writing
            if not self.writing and self.reads % 3 == 2:
                raise ConnectionError("refused")
            return super().read(ids)

    corpus = Shaky(RECORDS)
    with Campaign(corpus, ledger, visible_within=5, gone_within=5) as campaign:
        assert len(campaign.plant(make_plants(campaign)).visible) == 10
    assert corpus.records == OWN
    assert campaign.leftovers == []


def test_two_plants_of_one_id_are_refused(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with pytest.raises(PlantError, match="two plants share an id"), Campaign(corpus, ledger) as campaign:
        campaign.plant([*make_plants(campaign, 2), make_plants(campaign, 1)[0]])
    assert corpus.injected == []


def test_removing_nothing_or_twice_reaches_no_store(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger) as campaign:
        assert campaign.plant([]).visible == frozenset()
        campaign.remove([])
        plants = make_plants(campaign, 2)
        campaign.plant(plants)
        campaign.remove(plants[:1])
        campaign.remove(plants[:1])
        assert corpus.removed == [[plants[0].id]]
    assert sorted(i for ids in corpus.removed for i in ids) == sorted(p.id for p in plants)


def test_held_plants_stay(ledger: Ledger) -> None:
    corpus = faulty.FaultyCorpus(RECORDS)
    with Campaign(corpus, ledger) as campaign:
        plants = make_plants(campaign, 2)
        campaign.plant(plants)
        campaign.hold()
    assert corpus.records.keys() == OWN.keys() | {p.id for p in plants}
    assert [row.state for row in ledger.campaigns()] == ["held"]


def test_a_campaign_is_used_inside_its_block(ledger: Ledger) -> None:
    campaign = Campaign(faulty.FaultyCorpus(RECORDS), ledger)
    with pytest.raises(UsageError, match="inside 'with campaign:'"):
        campaign.plant([plant()])
    campaign.close()


def test_a_notice_that_cannot_be_given_stops_no_cleaning(ledger: Ledger) -> None:
    def closed_terminal(_text: str) -> None:
        raise BrokenPipeError

    with Campaign(faulty.NeverRemoves(RECORDS), ledger, **QUICK, notify=closed_terminal) as campaign:
        campaign.plant(make_plants(campaign, 2))
    assert len(campaign.leftovers) == 2


EXITS = {
    "end of the program": "",
    "sys.exit": "sys.exit(5)",
    "an exception": "raise ZeroDivisionError",
}


@pytest.mark.parametrize("way", EXITS)
def test_a_program_that_ends_without_leaving_the_block_is_cleaned(folder: Path, way: str) -> None:
    program = (
        "import sys, chromadb, darnel\n"
        "from tests.support.planting import make_plants\n"
        f"target = darnel.open_target('chroma:{folder}#docs', embedder='tests.support.embedder:hashed')\n"
        "campaign = darnel.Campaign(target.injector, darnel.Ledger()).__enter__()\n"
        "print(len(campaign.plant(make_plants(campaign, 3)).visible))\n" + EXITS[way]
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, check=False
    )
    assert ended.stdout.split() == ["3"], ended.stderr
    from tests.support import chroma

    with chroma.reading(folder) as collection:
        assert chroma.kit_records(collection) == []
