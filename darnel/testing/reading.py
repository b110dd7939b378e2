"""Promise: ``read`` shows what is in the store at this moment, no more and no less."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from darnel.core.corpus import CorpusInjector, Record, Target
from darnel.core.plant import Plant
from darnel.core.planting.waiting import read_all
from darnel.testing.plants import changed, ids_of
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds, assert_same


class Reading(Scenarios):
    """Every proof of the kit rests on ``read``."""

    def test_read_gives_what_is_there(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """Id, text and metadata are equal to the witness's, for plants and owners; so are vectors where they are asked for.

        If it fails, look at fields you leave out, and at casts on the way.
        """
        stored = eye.records()
        bare = {id_: replace(record, vector=None) for id_, record in stored.items()}
        found = {id_: replace(record, vector=None) for id_, record in injector.read(list(stored)).items()}
        assert_same(bare, found, f"a read beside {len(planted)} plants")
        if self.declared.vectors:
            assert_same(stored, read_all(injector, list(stored), vectors=True), "a read with vectors")

    def test_absent_is_absent(self, injector: CorpusInjector, plants: list[Plant]) -> None:
        """Ids that are not there are not in the mapping: no None, no empty record.

        If it fails, look at answers with a place for every id asked.
        """
        assert dict(injector.read(ids_of(plants))) == {}
        assert set(injector.read([plants[0].id, self.records()[0].id])) == {self.records()[0].id}

    def test_read_nothing(self, injector: CorpusInjector, planted: list[Plant]) -> None:
        """An empty list gives an empty mapping, not the first page of the corpus.

        If it fails, look at what your store makes of an empty selector: return early.
        """
        assert dict(injector.read([])) == {}, f"{len(planted)} plants are there, and none was asked for"

    def test_only_what_was_asked(self, injector: CorpusInjector, planted: list[Plant]) -> None:
        """Only the ids asked come back, in whatever order they were asked.

        If it fails, look at filters that match more than the id.
        """
        asked = [planted[3].id, planted[0].id]
        assert set(injector.read(asked)) == set(asked) == set(injector.read(asked[::-1]))

    def test_read_sees_every_write_of_its_own(self, injector: CorpusInjector, plants: list[Plant]) -> None:
        """Read before, between and after injects and removals: always the state of the store.

        If it fails, look at a cache of records or of "known" ids.
        """
        assert not injector.read(ids_of(plants))
        self.sow(injector, plants)
        assert_holds(injector.read(ids_of(plants)), plants)
        others = self.sow(injector, [changed(p, text="Changed.") for p in plants])
        assert_holds(injector.read(ids_of(plants)), others)
        self.pull(injector, plants[:2])
        assert set(injector.read(ids_of(plants))) == set(ids_of(plants[2:]))

    def test_read_sees_what_the_application_writes(
        self, store: Any, injector: CorpusInjector, planted: list[Plant]
    ) -> None:
        """A record that the application adds, changes or deletes is seen so at once.

        If it fails, look at a snapshot taken when the injector was made.
        """
        own = self.records()[0]
        new = Record(self.own_id("brand-new"), "Brand new.", own.metadata)
        assert set(injector.read([own.id, new.id, planted[0].id])) == {own.id, planted[0].id}
        self.put(store, [new, Record(own.id, "Edited by the application.", own.metadata)])
        self.delete(store, [planted[0].id])
        self.settle()
        found = injector.read([own.id, new.id, planted[0].id])
        assert {id_: r.text for id_, r in found.items()} == {
            own.id: "Edited by the application.",
            new.id: "Brand new.",
        }

    def test_two_injectors_see_the_same(
        self, injector: CorpusInjector, again: Callable[[], Target], plants: list[Plant]
    ) -> None:
        """What one injector writes or removes, another that was open before sees.

        If it fails, look at clients that hold a snapshot; say so in ``checks`` where the store cannot do better.
        """
        other = again().injector
        assert not other.read(ids_of(plants))
        self.sow(injector, plants)
        assert_holds(other.read(ids_of(plants)), plants)
        self.pull(other, plants)
        assert not injector.read(ids_of(plants))
