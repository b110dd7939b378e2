"""Promise: the life cycle of a campaign holds on this adapter, from the ledger's first row to the proof that all is gone."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from darnel.core.corpus import CorpusInjector, Record
from darnel.core.errors import CollisionError, PlantError
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from darnel.testing.plants import ids_of, make_plants
from darnel.testing.scenarios import CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_holds


class Campaigns(Scenarios):
    """Plan, ledger, inject, visible, remove, prove."""

    def test_a_campaign_from_start_to_end(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """All plants become visible, the ledger knows each as written, all are removed, the campaign is closed.

        If it fails, look at the round trip of text and stamp: visible is only what reads back as it was planted.
        """
        before = eye.digests()
        with self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            planting = campaign.plant(plants)
            assert planting.error is None
            assert planting.visible == set(ids_of(plants))
            assert_holds(eye.records(), plants)
            assert {(p.id, p.state) for p in ledger.plants(CAMPAIGN)} == {(id_, "written") for id_ in ids_of(plants)}
            assert campaign.remove().removed == set(ids_of(plants))
            assert not ledger.plants(CAMPAIGN)
        assert (campaign.planted, campaign.removed, campaign.leftovers) == (len(plants), len(plants), [])
        assert not ledger.campaigns()
        assert eye.digests() == before

    def test_an_exception_cleans_up(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """An exception inside a campaign removes the plants on its way out.

        If it fails, look at ``remove``.
        """
        before = eye.digests()
        campaign = self.campaign(injector, ledger, id=CAMPAIGN)
        with suppress(ZeroDivisionError), campaign:
            assert campaign.plant(plants).visible
            raise ZeroDivisionError
        assert not campaign.leftovers
        assert not ledger.campaigns()
        assert eye.digests() == before

    def test_wave_after_wave(self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness) -> None:
        """Several waves of one campaign, the same ids among them: each is seen, and each is gone before the next.

        If it fails, look at what a removal leaves that hinders the next inject of the same id.
        """
        before = eye.digests()
        with self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            for wave in (plants[:3], plants[2:], plants[:1]):
                assert campaign.plant(wave).visible == set(ids_of(wave))
                assert set(eye.plants()) == set(ids_of(wave))
                assert campaign.remove(wave).removed == set(ids_of(wave))
                assert eye.digests() == before
        assert not campaign.leftovers

    def test_a_collision_stops_it_before_the_ledger(
        self, injector: CorpusInjector, plants: list[Plant], foreign: Record, ledger: Ledger, eye: Witness
    ) -> None:
        """A foreign record under a planned id: ``CollisionError``, no row in the ledger, nothing written.

        If it fails, look at ``read``: it must show records that are not plants.
        """
        with eye.unchanged(f"planting onto {foreign.id}"), self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            with pytest.raises(CollisionError):
                campaign.plant(plants)
            assert not ledger.plants(CAMPAIGN)

    def test_two_plants_under_one_id_are_refused(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """Refused before any write.

        If it fails, look at whether your campaign is the kit's.
        """
        with eye.unchanged("planting a plant twice"), self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            twice = [*plants, plants[0]]
            with pytest.raises(PlantError):
                campaign.plant(twice)

    def test_an_edited_plant_is_left_and_named(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """A plant whose text somebody edited stays, and is the one leftover; the others are removed.

        If it fails, look at ``read``: text and metadata as they are now, not as they were written.
        """
        with self.campaign(injector, ledger, id=CAMPAIGN) as campaign:
            campaign.plant(plants)
            edited = Record(plants[1].id, f"{plants[1].text} Edited.", dict(plants[1].metadata))
            self.put(store, [edited])
        assert [(left.id, left.state) for left in campaign.leftovers] == [(plants[1].id, "changed")]
        assert set(eye.plants()) == {plants[1].id}
        assert eye.records()[plants[1].id].text == edited.text

    def test_ids_are_this_containers_own(self, injector: CorpusInjector, ledger: Ledger) -> None:
        """Two campaigns plan different ids for the same plants.

        If it fails, look at ``describe().identity``.
        """
        ids: set[str] = set()
        for _ in range(2):
            with self.campaign(injector, ledger) as campaign:
                ids.update(ids_of(make_plants(campaign.where, campaign.id)))
        assert len(ids) == 10
