"""Promise: injecting twice is injecting once, and injecting again leaves exactly the new text and the new metadata."""

from __future__ import annotations

import copy
from collections.abc import Callable

from darnel.core.corpus import CorpusInjector, Target
from darnel.core.plant import KIT_KEY, STAMP_KEY, Plant
from darnel.testing.plants import changed
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds, assert_same


class Injecting(Scenarios):
    """Inject writes or replaces, by id, exactly."""

    def test_inject_writes_exactly_the_plants(self, planted: list[Plant], eye: Witness) -> None:
        """After an inject the store holds each plant once, with its id, text and metadata, and no other plant.

        If it fails, look at ids that are minted or changed, keys that are added or dropped, and rows that are lost.
        """
        assert set(eye.plants()) == {p.id for p in planted}
        assert_holds(eye.records(), planted)

    def test_inject_adds_no_other_record(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """The store grows by exactly the plants: no chunk, no copy, no bookkeeping record beside them.

        If it fails, look at splitters on the way, and at what is written besides the records.
        """
        before = set(eye.records())
        self.sow(injector, plants)
        assert set(eye.records()) - before == {p.id for p in plants}

    def test_inject_twice_is_inject_once(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """The second inject of the same plants changes nothing at all, and raises nothing.

        If it fails, look at whether you insert where you should upsert, and whether ids are your own.
        """
        before = eye.records()
        self.sow(injector, planted)
        assert_same(before, eye.records(), "the second inject")

    def test_inject_twice_through_a_fresh_injector(
        self, again: Callable[[], Target], planted: list[Plant], eye: Witness
    ) -> None:
        """An injector that did not write the plants finds them and replaces them.

        If it fails, look at what the injector remembers: the store decides what is there, not the object.
        """
        before = eye.records()
        self.sow(again().injector, planted)
        assert_same(before, eye.records(), "the inject of a fresh injector")

    def test_other_text_replaces_the_text(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """Injecting again with other texts leaves the new texts, and no copy of the old ones.

        If it fails, look at ``add`` that is silently ignored on an existing id, and at hashes that skip "known" ids.
        """
        others = [changed(p, text=f"Quite another text, number {n}.") for n, p in enumerate(planted)]
        self.sow(injector, others)
        assert_holds(eye.records(), others)
        assert set(eye.plants()) == {p.id for p in planted}

    def test_other_metadata_replaces_the_metadata(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """Injecting again with other metadata leaves exactly the new keys: changed, added, and dropped ones gone.

        If it fails, look at upserts that merge: set stale keys to nothing, or delete before you write.
        """
        others = [changed(p, metadata={"page": 99, "chapter": "new"}) for p in planted]
        self.sow(injector, others)
        assert_holds(eye.records(), others)
        assert set(eye.records()[planted[0].id].metadata or {}) == {"page", "chapter", KIT_KEY, STAMP_KEY}

    def test_no_metadata_of_its_own_replaces_the_metadata(
        self, injector: CorpusInjector, planted: list[Plant], eye: Witness
    ) -> None:
        """A plant that now has the kit's two keys only ends with those two.

        If it fails, look at "no metadata" taken for "leave the old metadata".
        """
        others = [changed(p, metadata={}) for p in planted]
        self.sow(injector, others)
        assert_holds(eye.records(), others)

    def test_fewer_then_more(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """Batches may overlap: two plants, then all five with one of them changed, then one again.

        If it fails, look at batches that hold both new and existing ids.
        """
        self.sow(injector, plants[:2])
        mended = changed(plants[1], text="The second one, mended.")
        self.sow(injector, [plants[0], mended, *plants[2:]])
        self.sow(injector, plants[4:])
        assert_holds(eye.records(), [plants[0], mended, *plants[2:]])
        assert len(eye.plants()) == len(plants)

    def test_inject_nothing(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """An empty list has no effect and raises nothing.

        If it fails, look at stores that refuse, or misread, an empty request: return early.
        """
        with eye.unchanged(f"an empty inject beside {len(planted)} plants"):
            self.sow(injector, [])

    def test_inject_leaves_the_plants_alone(self, injector: CorpusInjector, plants: list[Plant]) -> None:
        """The plants given are not changed: neither the list, nor any text, metadata or vector.

        If it fails, look at metadata that you complete in place: copy it first.
        """
        before = copy.deepcopy([(p, dict(p.metadata)) for p in plants])
        self.sow(injector, plants)
        assert [(p, dict(p.metadata)) for p in plants] == before

    def test_inject_takes_a_tuple(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """Any sequence will do.

        If it fails, look at code that adds lists to what it was given.
        """
        injector.inject(tuple(plants))
        self.settle()
        assert_holds(eye.records(), plants)
