"""Promise: whatever moment a process dies at, another finds its plants and takes them out, with or without the ledger."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from darnel.core.corpus import CorpusInjector, Record, Target
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.recovery import Swept, find_in_target, sweep
from darnel.testing.plants import ids_of
from darnel.testing.scenarios import CAMPAIGN, OTHER_CAMPAIGN, Scenarios
from darnel.testing.witness import Witness


class Recovery(Scenarios):
    """The process died; a fresh injector has the ledger, or only the store."""

    def test_died_between_write_and_mark(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """All written, none marked: the sweep finds and removes all.

        If it fails, look at ``identity`` (the ledger finds the corpus by it) and at ``read`` in a fresh injector.
        """
        before = eye.digests()
        self._die(ledger, injector, announced=plants, written=plants)
        self._sweep_all(again(), ledger, plants)
        assert eye.digests() == before
        assert not ledger.campaigns()

    def test_died_in_the_middle_of_a_batch(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """All announced, two written, one of them marked: the sweep removes what landed.

        If it fails, look at reads and removals of ids of which some are missing.
        """
        before = eye.digests()
        self._die(ledger, injector, announced=plants, written=plants[1:3], marked=plants[2:3])
        self._sweep_all(again(), ledger, plants)
        assert eye.digests() == before
        assert not ledger.campaigns()

    def test_died_before_the_write(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """Announced and never written: the sweep finds nothing to remove, changes nothing and closes the campaign.

        If it fails, look at missing ids that raise.
        """
        self._die(ledger, injector, announced=plants, written=[])
        with eye.unchanged("the sweep"):
            self._sweep_all(again(), ledger, plants)
        assert not ledger.campaigns()

    def test_died_between_removal_and_mark(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """Written, marked and removed, the removal not marked: the sweep sees that they are gone.

        If it fails, look at ``read`` in a fresh injector.
        """
        self._die(ledger, injector, announced=plants, written=plants, marked=plants)
        self.pull(injector, plants)
        with eye.unchanged("the sweep"):
            self._sweep_all(again(), ledger, plants)
        assert not ledger.campaigns()

    def test_swept_from_the_store_alone(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant], eye: Witness
    ) -> None:
        """The ledger is lost: both campaigns' plants are found by the stamps, and removed campaign by campaign.

        If it fails, look at the reader's ``plants``, and at the stamp in what it returns.
        """
        self.declared.need("scan")
        before = eye.digests()
        self.sow(injector, plants)
        others = self.sow(injector, self.other_plants(injector, OTHER_CAMPAIGN))
        target = again()
        found = {f.campaign: f for f in find_in_target(target, None)}
        assert {name: set(f.plants) for name, f in found.items()} == {
            CAMPAIGN: set(ids_of(plants)),
            OTHER_CAMPAIGN: set(ids_of(others)),
        }
        assert not sweep(found[CAMPAIGN], target, None, within=self.patience).leftovers
        assert set(eye.plants()) == set(ids_of(others))
        assert not sweep(found[OTHER_CAMPAIGN], target, None, within=self.patience).leftovers
        assert eye.digests() == before

    def test_a_sweep_leaves_what_was_edited(
        self,
        store: Any,
        injector: CorpusInjector,
        again: Callable[[], Target],
        plants: list[Plant],
        ledger: Ledger,
        eye: Witness,
    ) -> None:
        """A plant edited after the crash is left and named, the rest removed; a second sweep says the same.

        If it fails, look at ``read`` in a fresh injector.
        """
        self._die(ledger, injector, announced=plants, written=plants)
        self.put(store, [Record(plants[0].id, "Edited after the crash.", dict(plants[0].metadata))])
        for _ in range(2):
            (swept,) = self._sweep(again(), ledger)
            assert [left.id for left in swept.leftovers] == [plants[0].id]
        assert set(eye.records()) & set(ids_of(plants)) == {plants[0].id}

    def _die(
        self,
        ledger: Ledger,
        injector: CorpusInjector,
        *,
        announced: Sequence[Plant],
        written: Sequence[Plant],
        marked: Sequence[Plant] = (),
    ) -> None:
        """Leave ledger and store as a process does that is killed at some moment."""
        ledger.open_campaign(CAMPAIGN, "", injector.describe())
        ledger.announce(announced)
        self.sow(injector, written)
        ledger.mark(CAMPAIGN, [("written", id_) for id_ in ids_of(marked)])

    def _sweep(self, target: Target, ledger: Ledger) -> list[Swept]:
        return [
            sweep(found, target, ledger, within=self.patience, watch=0.0)
            for found in find_in_target(target, ledger)
            if found.campaign == CAMPAIGN
        ]

    def _sweep_all(self, target: Target, ledger: Ledger, plants: Sequence[Plant]) -> None:
        (swept,) = self._sweep(target, ledger)
        assert swept.removed == set(ids_of(plants))
        assert not swept.leftovers
        self.settle()
