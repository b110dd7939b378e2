"""Promise: removal is by id, may be repeated, and an empty or unknown id has no effect."""

from __future__ import annotations

from collections.abc import Callable

from darnel.core.corpus import CorpusInjector, Target
from darnel.core.plant import Plant
from darnel.testing.plants import ids_of
from darnel.testing.scenarios import OTHER_CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_holds


class Removing(Scenarios):
    """Remove deletes those of the ids that hold plants, and nothing else."""

    def test_remove_takes_every_plant_out(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """After a removal the witness finds none of the plants.

        If it fails, look at the answer you trust: a store may report as deleted what it was asked, not what went.
        """
        self.pull(injector, planted)
        assert not set(eye.records()) & set(ids_of(planted))

    def test_remove_takes_only_what_was_asked(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """The plants that were not named stay, those of the same campaign too.

        If it fails, look at deletes by a filter or a prefix: give the store ids.
        """
        self.pull(injector, planted[:1])
        assert set(eye.plants()) == set(ids_of(planted[1:]))
        assert_holds(eye.records(), planted[1:])

    def test_remove_leaves_other_campaigns_alone(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """Another campaign's plants stay when this one's go.

        If it fails, look at deletes by the kit's metadata key: it is on every campaign's plants.
        """
        others = self.sow(injector, self.other_plants(injector, OTHER_CAMPAIGN))
        self.pull(injector, planted)
        assert set(eye.plants()) == set(ids_of(others))

    def test_remove_twice(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """Removing again raises nothing and changes nothing.

        If it fails, look at stores that raise on a missing id: read first, delete what is there.
        """
        self.pull(injector, planted)
        with eye.unchanged("the second removal"):
            self.pull(injector, planted)

    def test_remove_what_was_never_there(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """Ids that were never injected raise nothing and change nothing.

        If it fails, look at missing ids that raise, and at ids that are shortened or matched in part.
        """
        strangers = self.other_plants(injector, OTHER_CAMPAIGN)
        with eye.unchanged(f"the removal of unknown ids beside {len(planted)} plants"):
            self.pull(injector, strangers)
            injector.remove([self.own_id("nobody-has-this-id")])
            self.settle()

    def test_remove_nothing(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """An empty list removes nothing: neither the owner's records nor the plants.

        If it fails, look at what your store makes of an empty selector; several delete everything. Return early.
        """
        with eye.unchanged(f"the removal of nothing beside {len(planted)} plants"):
            injector.remove([])
            injector.remove(())
            self.settle()

    def test_remove_some_that_are_there_and_some_not(
        self, injector: CorpusInjector, half_planted: list[Plant], eye: Witness
    ) -> None:
        """After half an inject, removing all of the batch takes out the half that landed.

        If it fails, look at deletes that stop, or undo everything, at the first missing id.
        """
        assert eye.plants(), "the half that was planted is not there"
        self.pull(injector, half_planted[::-1])
        assert not eye.plants()

    def test_remove_through_a_fresh_injector(
        self, again: Callable[[], Target], planted: list[Plant], eye: Witness
    ) -> None:
        """An injector that did not write the plants removes them by id.

        If it fails, look at what removal needs that only the writing object knew.
        """
        self.pull(again().injector, planted)
        assert not eye.plants()

    def test_plant_and_remove_again_and_again(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """Three rounds under the same ids: there, gone, there, gone, and the corpus the same each time.

        If it fails, look at a ledger of hashes in your store or framework that remembers what was removed.
        """
        before = eye.digests()
        for round_ in range(3):
            self.sow(injector, plants)
            assert_holds(eye.records(), plants)
            self.pull(injector, plants)
            assert eye.digests() == before, f"the corpus differs after round {round_ + 1}"
