"""Promise: plants look like the application's own records, and the application reads them like its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import CorpusInjector, RecordShape, Source
from darnel.core.plant import KIT_KEY, STAMP_KEY, Plant
from darnel.testing.plants import make_plants
from darnel.testing.scenarios import CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_holds

K = 5


class Likeness(Scenarios):
    """What the application, not the adapter, sees of a plant."""

    def test_the_application_reads_every_plant(self, store: Any, planted: list[Plant]) -> None:
        """Asked with a plant's own text, the application finds it, with text and metadata intact.

        If it fails, look at the payload layout: the text key, where metadata lies, the vector's name, tenant keys.
        """
        ask = self.app(store)
        for plant in planted:
            found = [s for s in ask(plant.text, K) if _is(s, plant)]
            assert found, f"the application does not find {plant.name} by its own text"
            assert found[0].text == plant.text
            seen = dict(found[0].metadata or {})
            assert {k: seen.get(k) for k in plant.metadata} == dict(plant.metadata)

    def test_the_application_still_reads_its_own(self, store: Any, planted: list[Plant]) -> None:
        """With the plants there, the application's own records come back with their texts, and no question fails.

        If it fails, look at a plant that the application's framework cannot parse; it breaks every list it is in.
        """
        ask, plants = self.app(store), PlantIndex(planted)
        for record in self.records():
            texts = [s.text for s in ask(record.text or "", K) if plants.match(s) is None]
            assert record.text in texts, f"record {record.id} is not found by its own text any more"

    def test_plants_carry_the_keys_of_the_records(self, planted: list[Plant], eye: Witness) -> None:
        """Each key that all records share is on every plant, with a value of the same type; constants keep their value.

        If it fails, look at ``describe().shape``: plants are made from it.
        """
        stored = eye.records()
        own = [dict(r.metadata or {}) for r in self.records()]
        shared = {k: v for k, v in own[0].items() if all(k in m for m in own)}
        for plant in planted:
            metadata = dict(stored[plant.id].metadata or {})
            assert {k: type(metadata.get(k)) for k in shared} == {k: type(v) for k, v in shared.items()}
            constants = {k: v for k, v in shared.items() if all(m[k] == v for m in own)}
            assert {k: metadata[k] for k in constants} == constants

    def test_plants_carry_nothing_more(self, planted: list[Plant], eye: Witness) -> None:
        """The stored metadata has the plant's keys and not one besides.

        If it fails, look at timestamps, hashes or chunk numbers that you, or your framework, add.
        """
        stored = eye.records()
        for plant in planted:
            assert set(stored[plant.id].metadata or {}) == set(plant.metadata)

    def test_unique_keys_are_the_plants_own(self, planted: list[Plant], eye: Witness) -> None:
        """A key that no two records share gets a value of its own on each plant.

        If it fails, look at ``shape.unique``.
        """
        own = [r.metadata or {} for r in self.records()]
        stored = eye.records()
        values = [m["source"] for m in own] + [(stored[p.id].metadata or {}).get("source") for p in planted]
        assert len(set(values)) == len(own) + len(planted), "two records share a 'source'"

    def test_the_stamp_is_kept(self, planted: list[Plant], eye: Witness) -> None:
        """The kit's two metadata keys come back as they were written.

        If it fails, look at key names that your store changes, or values that it casts.
        """
        stored = eye.records()
        for plant in planted:
            metadata = stored[plant.id].metadata or {}
            assert (metadata.get(KIT_KEY), metadata.get(STAMP_KEY)) == (
                plant.metadata[KIT_KEY],
                plant.metadata[STAMP_KEY],
            )

    def test_plants_match_with_the_bare_minimum(self, injector: CorpusInjector, eye: Witness) -> None:
        """A corpus may have no shape to imitate: a plant with only the kit's keys is written all the same.

        If it fails, look at required metadata: it belongs into the shape.
        """
        bare = self.sow(injector, make_plants(replace(injector.describe(), shape=RecordShape()), CAMPAIGN))
        assert_holds(eye.records(), bare)


def _is(source: Source, plant: Plant) -> bool:
    match = PlantIndex([plant]).match(source)
    return match is not None and plant in match.plants
