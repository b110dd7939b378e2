"""Promise: the rest of the corpus is bit-identical, by the witness's digest, for every order of operations."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from darnel.core.corpus import CorpusInjector, Target
from darnel.core.errors import CollisionError
from darnel.core.plant import Plant
from darnel.testing.plants import changed, ids_of
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_same


class RestOfCorpus(Scenarios):
    """Ids, texts, metadata and vectors of every record of the owner's stay as they were."""

    def test_the_same_after_inject_and_remove(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """Every record, its vector included, is the same after an inject and a removal.

        If it fails, look at rewrites of whole containers, re-embedding, and normalisation on the way.
        """
        with eye.unchanged("inject and remove"):
            self.sow(injector, plants)
            self.pull(injector, plants)

    def test_the_same_while_planted(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """The owner's records are the same while the plants stand, too.

        If it fails, look at fields that you add to records that are not plants.
        """
        with self.unharmed(store, "an inject"):
            self.sow(injector, plants)
        assert len(eye.records()) == len(self.records()) + len(plants)

    def test_every_order_of_operations(self, store: Any, injector: CorpusInjector, plants: list[Plant]) -> None:
        """Inject, inject more, change and remove, in all 24 orders: the owner's records never differ.

        If it fails, look at the order named: some step trusts what an earlier one left behind.
        """
        steps: dict[str, Callable[[], None]] = {
            "inject three": lambda: injector.inject(plants[:3]),
            "inject four changed": lambda: injector.inject([changed(p, text="Changed.") for p in plants[1:]]),
            "remove two": lambda: injector.remove(ids_of(plants[1:3])),
            "remove all": lambda: injector.remove(ids_of(plants)),
        }
        for order in itertools.permutations(steps):
            with self.unharmed(store, f"the order {', '.join(order)}"):
                for step in order:
                    steps[step]()
                    self.settle()
        injector.remove(ids_of(plants))

    def test_nothing_of_a_finished_run_remains(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """After the last removal the container holds exactly the records it held at first.

        If it fails, look at what an inject writes besides the plants, and a removal forgets.
        """
        before = eye.records()
        for n in range(len(plants)):
            self.sow(injector, plants[: n + 1])
        self.pull(injector, plants[2:])
        self.pull(injector, plants)
        assert_same(before, eye.records(), "several injects and two removals")

    def test_a_refused_inject_changes_nothing(
        self, store: Any, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """An inject that is refused over a collision leaves owners and plants as they were.

        If it fails, look at anything that is written, deleted or locked before the check.
        """
        self.sow(injector, plants[:1])
        taken = self.records()[0]
        self.put(store, [type(taken)(plants[4].id, "Taken.", taken.metadata)])
        with self.unharmed(store, "a refused inject"), eye.unchanged("a refused inject"):
            try:
                injector.inject([changed(plants[0], text="Changed."), *plants[1:]])
            except CollisionError:
                self.settle()

    def test_asking_and_reading_change_nothing(
        self, store: Any, target: Target, planted: list[Plant], eye: Witness
    ) -> None:
        """Reads, scans and questions leave everything as it is.

        If it fails, look at caches, counters or access times that your store keeps in the records.
        """
        with self.unharmed(store, "reading"), eye.unchanged("reading"):
            target.injector.read([self.records()[0].id, *ids_of(planted)])
            if target.reader is not None:
                list(target.reader.scan())
                target.reader.ids()
                target.reader.plants()
            if target.retriever is not None:
                target.retriever.retrieve([planted[0].text, "the harbour"], 5)
