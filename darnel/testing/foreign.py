"""Promise: a record that the kit did not write is never overwritten and never deleted."""

from __future__ import annotations

from typing import Any

import pytest

from darnel.core.corpus import CorpusInjector, Record
from darnel.core.errors import CollisionError
from darnel.core.plant import KIT_KEY, Plant
from darnel.testing.plants import changed, ids_of
from darnel.testing.scenarios import OTHER_CAMPAIGN, Scenarios
from darnel.testing.witness import Witness


class ForeignRecords(Scenarios):
    """What does not carry our stamp is not ours, whatever its id."""

    def test_a_foreign_record_under_a_planned_id_is_refused(
        self, injector: CorpusInjector, plants: list[Plant], foreign: Record, eye: Witness
    ) -> None:
        """``CollisionError``, the record as it was, and nothing of the batch written, earlier rows included.

        If it fails, look at the order: read all the planned ids first, then write. ``refuse_foreign`` does the check.
        """
        with eye.unchanged(f"an inject onto {foreign.id}"):
            with pytest.raises(CollisionError):
                injector.inject(plants)
            self.settle()

    def test_another_campaigns_plant_is_refused(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """A plant of another campaign under a planned id is refused like the owner's record.

        If it fails, look at how you tell your own plants: by the campaign in the stamp, not by the kit's key.
        """
        twins = self.other_plants(injector, OTHER_CAMPAIGN, same_ids_as=planted)
        with eye.unchanged("an inject onto another campaign's plants"):
            with pytest.raises(CollisionError):
                injector.inject(twins)
            self.settle()

    def test_an_owners_record_is_never_removed(self, injector: CorpusInjector, eye: Witness) -> None:
        """Asked by mistake to remove the owner's ids, the adapter leaves them.

        If it fails, look at whether you read the stamp before you delete.
        """
        with eye.unchanged("the removal of the owner's ids"):
            injector.remove([r.id for r in self.records()])
            self.settle()

    def test_plants_go_and_owners_stay_in_one_request(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """Where a request names both, the plants go and the owner's records stay.

        If it fails, look at checks that are made once for a whole request.
        """
        before = eye.owners()
        injector.remove([self.records()[0].id, *ids_of(planted), self.records()[1].id])
        self.settle()
        assert not eye.plants()
        assert eye.owners() == before

    def test_a_record_that_lost_its_stamp_is_left(
        self, store: Any, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """A plant that the application has overwritten is the application's: neither removed nor overwritten again.

        If it fails, look at whether removal believes its own list of ids, or the record in the store.
        """
        own = dict(self.records()[0].metadata or {})
        self.put(store, [Record(planted[2].id, "Rewritten by the application.", own)])
        with eye.unchanged("an inject onto it"):
            with pytest.raises(CollisionError):
                injector.inject([changed(planted[2], text="Planted again.")])
            self.settle()
        self.pull(injector, planted)
        assert set(eye.records()) & set(ids_of(planted)) == {planted[2].id}

    def test_records_that_only_look_planted_stay(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """A record that quotes a marker, or has a metadata key named like the kit's, is the owner's.

        If it fails, look at how you find plants: a whole stamp, not a key or a word in the text.
        """
        own = dict(self.records()[0].metadata or {})
        quoting = Record(self.own_id("quoting"), f"See {plants[0].marker} in the report.", own)
        named = Record(self.own_id("named"), "Darnel is a weed.", {**own, KIT_KEY: "the weed"})
        self.put(store, [quoting, named])
        before = eye.owners()
        self.sow(injector, plants)
        self.pull(injector, plants)
        assert eye.owners() == before

    def test_ids_are_compared_exactly(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """Records whose ids differ from a planned id in case, hyphens, a prefix or one letter are neither read nor touched.

        If it fails, look at ids that are folded, stripped, shortened or matched in part.
        """
        self.declared.need("free_ids")
        planned, own = plants[0].id, dict(self.records()[0].metadata or {})
        near = [planned.upper(), planned.replace("-", ""), planned[:-1], f"{planned}0", planned[:8], f" {planned}"]
        self.put(store, [Record(id_, f"The owner's record {n}.", own) for n, id_ in enumerate(near)])
        before = eye.owners()
        assert not injector.read([planned])
        self.sow(injector, plants)
        assert eye.owners() == before
        assert set(injector.read([planned])) == {planned}
        self.pull(injector, plants)
        assert eye.owners() == before
