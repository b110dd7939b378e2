"""Promise: other containers and other tenants of the same store are neither written, nor deleted from, nor read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from darnel.core.corpus import CorpusInjector
from darnel.core.plant import Plant
from darnel.testing.library import FOREIGN_CAMPAIGN, NEXT_DOOR, stamped_elsewhere
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds


class Neighbours(Scenarios):
    """Each neighbour holds the same ids again, a record of its own, and a plant of somebody else's."""

    def test_injecting_leaves_the_neighbours_alone(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """Plants land in the container under test and nowhere else.

        If it fails, look at the tenant, database, namespace or collection on your writes; a default is a neighbour.
        """
        self.declared.need("neighbours")
        with self.unharmed(store, "inject"):
            self.sow(injector, plants)
        assert_holds(eye.records(), plants)

    def test_removing_leaves_the_neighbours_alone(
        self, store: Any, injector: CorpusInjector, planted: list[Plant]
    ) -> None:
        """A removal reaches the container under test and nothing else.

        If it fails, look at the tenant on your deletes, and at stores where one id is known across containers.
        """
        self.declared.need("neighbours")
        elsewhere = self.own_id(stamped_elsewhere(FOREIGN_CAMPAIGN).id)
        with self.unharmed(store, "removal"):
            self.pull(injector, planted)
            injector.remove([elsewhere, self.own_id(NEXT_DOOR.id)])
            self.settle()

    def test_an_id_that_a_neighbour_holds_is_free_here(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """A plant under an id that only a neighbour holds is written here, removed here, and changes nothing there.

        If it fails, look at stores that key ids across containers: the container must be part of the id or the key.
        """
        self.declared.need("neighbours")
        twin = replace(plants[0], id=self.own_id(NEXT_DOOR.id))
        with self.unharmed(store, "a plant under a neighbour's id"):
            self.sow(injector, [twin])
            assert_holds(eye.records(), [twin])
            self.pull(injector, [twin])
        assert twin.id not in eye.records()

    def test_reading_sees_this_container_only(self, injector: CorpusInjector) -> None:
        """A record that only a neighbour holds is absent here.

        If it fails, look at the tenant on your reads.
        """
        self.declared.need("neighbours")
        ids = [self.own_id(NEXT_DOOR.id), self.own_id(stamped_elsewhere(FOREIGN_CAMPAIGN).id)]
        assert not injector.read(ids)
