"""The machine that writes histories: every call an application, a campaign or a crash can make, and what must hold after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from darnel.core.corpus import Record, Target
from darnel.core.errors import CollisionError
from darnel.core.plant import Plant, read_stamp
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.recovery import find_in_target, sweep
from darnel.testing.plants import changed, make_plants
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds, assert_same, digests

PLANTS = 3  # few, so that the steps of a history meet each other's ids
which = st.sampled_from([[0], [0, 1, 2], [1, 2], [2, 0], [1], []])
words = st.sampled_from(["amber", "basalt", "cobalt"])


class History(RuleBasedStateMachine):
    """``owners``: what the application last wrote, by digest. ``ours``: the plants that should be there."""

    serial = 0

    def __init__(
        self,
        suite: Scenarios,
        store: Any,
        target: Target,
        again: Callable[[], Target],
        ledger: Ledger,
        eye: Witness,
    ) -> None:
        super().__init__()
        self.suite, self.store, self.target, self.again = suite, store, target, again
        self.ledger, self.eye = ledger, eye
        self.start = eye.records()
        self.owners = eye.owners()
        self.ours: dict[str, Plant] = {}
        self._begin()

    def _begin(self) -> None:
        """A new campaign, in a process of its own."""
        History.serial += 1
        where = self.target.injector.describe()
        self.campaign = f"history-{History.serial}"
        self.plants = make_plants(where, self.campaign, PLANTS)
        self.ledger.open_campaign(self.campaign, "", where)

    def _inject(self, plants: list[Plant]) -> None:
        self.ledger.announce(plants)
        try:
            self.suite.sow(self.target.injector, plants)
        except CollisionError:
            assert any(p.id in self.owners for p in plants), "refused, and no id is taken"
        else:
            assert not any(p.id in self.owners for p in plants), "written over an owner's record"
            self.ours.update((p.id, p) for p in plants)

    @rule(chosen=which)
    def inject(self, chosen: list[int]) -> None:
        """Plant some."""
        self._inject([self.plants[n] for n in chosen])

    @rule(chosen=which, word=words)
    def inject_changed(self, chosen: list[int], word: str) -> None:
        """Plant some with other texts and fewer metadata keys."""
        self._inject([changed(self.plants[n], text=f"About {word}.", metadata={"page": n}) for n in chosen])

    @rule(chosen=which)
    def remove(self, chosen: list[int]) -> None:
        """Take some out, planted or not."""
        plants = [self.plants[n] for n in chosen]
        self.suite.pull(self.target.injector, plants)
        for plant in plants:
            self.ours.pop(plant.id, None)

    @rule(number=st.integers(0, 30))
    def remove_by_mistake(self, number: int) -> None:
        """Ask for the removal of an owner's record, as a caller with a wrong list would."""
        self.suite.pull(
            self.target.injector, [replace(self.plants[0], id=sorted(self.owners)[number % len(self.owners)])]
        )

    @rule(chosen=which, landed=st.integers(0, PLANTS))
    def crash(self, chosen: list[int], landed: int) -> None:
        """Die in a batch of which the first ``landed`` plants were written; the next process knows nothing of it."""
        plants = [self.plants[n] for n in chosen]
        self.ledger.announce(plants)
        free = [p for p in plants[:landed] if p.id not in self.owners]
        self.suite.sow(self.target.injector, free)
        self.ours.update((p.id, p) for p in free)
        self.target = self.again()
        self._begin()

    @rule()
    def recover(self) -> None:
        """Sweep by the ledger, in a fresh injector."""
        target = self.again()
        for found in find_in_target(target, self.ledger):
            swept = sweep(found, target, self.ledger, within=self.suite.patience, watch=0.0)
            assert {left.id for left in swept.leftovers} <= self.owners.keys(), swept.leftovers
        self.suite.settle()
        self.ours.clear()
        self._begin()

    @precondition(lambda self: self.target.reader is not None)
    @rule()
    def recover_without_ledger(self) -> None:
        """Sweep by the stamps alone."""
        target = self.again()
        for found in find_in_target(target, None):
            assert not sweep(found, target, None, within=self.suite.patience).leftovers
        self.suite.settle()
        self.ours.clear()

    @rule(number=st.integers(0, 3), word=words)
    def application_writes(self, number: int, word: str) -> None:
        """The application changes a record, or adds one."""
        own = self.suite.records()[number]
        id_ = own.id if number < 2 else self.suite.own_id(f"new-{number}")
        self._application_writes(Record(id_, f"The owner writes of {word}.", own.metadata))

    @rule(number=st.integers(0, PLANTS - 1))
    def application_takes_an_id(self, number: int) -> None:
        """The application writes over a plant, or under an id that was planned."""
        own = self.suite.records()[5]
        self._application_writes(Record(self.plants[number].id, "The owner's now.", own.metadata))
        self.ours.pop(self.plants[number].id, None)

    @precondition(lambda self: len(self.owners) > 6)
    @rule(number=st.integers(0, 30))
    def application_deletes(self, number: int) -> None:
        """The application deletes one of its records."""
        id_ = sorted(self.owners)[number % len(self.owners)]
        self.suite.delete(self.store, [id_])
        self.suite.settle()
        del self.owners[id_]

    def _application_writes(self, record: Record) -> None:
        self.suite.put(self.store, [record])
        self.owners.update(digests([self.eye.records()[record.id]]))

    @invariant()
    def owners_and_plants_are_as_the_model_says(self) -> None:
        """The digest of every record of the owner's; text and metadata of every plant."""
        now = self.eye.records()
        plants = {id_: record for id_, record in now.items() if read_stamp(record.metadata) is not None}
        assert digests(r for id_, r in now.items() if id_ not in plants) == self.owners
        assert plants.keys() == self.ours.keys()
        assert_holds(plants, self.ours.values())
        asked = {*(p.id for p in self.plants), *self.ours, *sorted(self.owners)[:3]}
        shown = {id_: replace(r, vector=None) for id_, r in self.target.injector.read(sorted(asked)).items()}
        stored = {id_: replace(r, vector=None) for id_, r in now.items() if id_ in asked}
        assert_same(stored, shown, "a read")

    def teardown(self) -> None:
        """Bring the store back to where it was, for the next history."""
        now = self.eye.records()
        if added := sorted(now.keys() - self.start.keys()):
            self.suite.delete(self.store, added)
        before, after = digests(self.start.values()), digests(now.values())
        if lost := [r for id_, r in self.start.items() if before[id_] != after.get(id_)]:
            self.suite.write(self.store, lost)
        self.suite.settle()
