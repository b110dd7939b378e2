"""Chroma adapters that each break one promise, on a real collection; see ``broken_memory``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

from darnel.adapters.checks import corpus_checks, vector_checks
from darnel.adapters.chroma import ChromaCorpus
from darnel.core.corpus import Check, CorpusDescription, Target
from darnel.core.errors import ContainerMissingError, TargetError
from darnel.core.plant import KIT_KEY, KIT_VALUE, Plant, check_plant
from darnel.core.planting.guard import refuse_foreign
from darnel.embedders.base import Embedder

from .chroma_store import Chroma, ChromaFixtures, everything, put


class Broken(ChromaCorpus):
    """Sound, for a start: ``write`` is given plants that were checked, with their vectors."""

    caught_by: ClassVar[str]
    batch: ClassVar[int | None] = 40
    store: Chroma

    @staticmethod
    def find(client: Any, name: str) -> Any:
        try:
            return client.get_collection(name, embedding_function=None)
        except Exception as error:
            raise ContainerMissingError(f"no collection '{name}'") from error

    def preflight(self) -> list[Check]:
        return list(vector_checks(self, self, self.embedder))

    def describe(self) -> CorpusDescription:
        found = super().describe()
        # small limits: a store in memory keeps every text it ever held
        return replace(found, max_batch=self.batch or found.max_batch, max_text_bytes=100_000)

    def inject(self, plants: Sequence[Plant]) -> None:
        if plants:
            vectors = self.checked(plants)
            for start in range(0, len(plants), 1_000):
                self.write(plants[start : start + 1_000], vectors[start : start + 1_000])

    def checked(self, plants: Sequence[Plant]) -> Any:
        for plant in plants:
            check_plant(plant)
        refuse_foreign(self.read([p.id for p in plants]), plants[0].campaign)
        return self._vectors(plants, self.describe().dimension)

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        upsert(self.collection, plants, vectors, [self.replacing(p) for p in plants])

    def replacing(self, plant: Plant) -> dict[str, Any]:
        old = self.read([plant.id]).get(plant.id)
        return {**dict.fromkeys((old and old.metadata) or ()), **plant.metadata}


def upsert(collection: Any, plants: Sequence[Plant], vectors: Any, metadatas: Sequence[Mapping[str, Any]]) -> None:
    collection.upsert(
        ids=[p.id for p in plants],
        documents=[p.text for p in plants],
        embeddings=vectors,
        metadatas=[dict(m) for m in metadatas],
    )


class BrokenFixtures(ChromaFixtures):
    """The same store as the sound adapter's, in a tenant of its own."""

    corpus: ClassVar[type[Broken]]
    patience: ClassVar[float] = 0.05
    examples: ClassVar[int] = 3
    shrink: ClassVar[bool] = False

    @pytest.fixture
    def store(self, memory_clients: tuple[Any, Any]) -> Iterator[Chroma]:
        with self.filled(memory_clients, "nowhere") as store:
            yield store

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        return self.target_for(store, store.collection.name, embedder)

    reopen = open

    def open_missing(self, store: Any) -> Target:
        return self.target_for(store, f"{store.collection.name}-not-there", self.embedder())

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        store.client.create_collection("empty", embedding_function=None)
        return self.target_for(store, "empty", embedder)

    def target_for(self, store: Any, name: str, embedder: Embedder | None) -> Target:
        corpus = self.corpus(self.corpus.find(store.client, name), embedder)
        corpus.store = store
        return Target(corpus, corpus, corpus, checks=corpus.preflight)


# writing


class Adds(Broken):
    """inject calls add, which is silently ignored on an id that exists"""

    caught_by = "test_other_text_replaces_the_text"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        self.collection.add(
            ids=[p.id for p in plants],
            documents=[p.text for p in plants],
            embeddings=vectors,
            metadatas=[dict(p.metadata) for p in plants],
        )


class Upserts(Broken):
    """inject calls upsert, which merges metadata"""

    caught_by = "test_other_metadata_replaces_the_metadata"

    def replacing(self, plant: Plant) -> dict[str, Any]:
        return dict(plant.metadata)


class KeepsTheOldVector(Broken):
    """a text that replaces another keeps the vector of the first"""

    caught_by = "test_the_vector_follows_the_text"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        old = self.read_vectors([p.id for p in plants])
        super().write(plants, [old[p.id].vector if p.id in old else v for p, v in zip(plants, vectors, strict=True)])


class EmbedsTheMetadata(Broken):
    """ "key: value" lines of the metadata are embedded with the text"""

    caught_by = "test_the_vector_is_that_of_the_text"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        assert self.embedder is not None
        lines = ["\n".join(f"{k}: {v}" for k, v in p.metadata.items()) for p in plants]
        super().write(plants, self.embedder.documents([f"{m}\n{p.text}" for m, p in zip(lines, plants, strict=True)]))


class IgnoresGivenVectors(Broken):
    """a plant's own vector is not read"""

    caught_by = "test_a_given_vector_is_written"

    def _vectors(self, plants: Sequence[Plant], dimension: int | None) -> Any:
        return super()._vectors([replace(p, vector=None) for p in plants], dimension)


class CutsVectorsToFit(Broken):
    """vectors of another length are cut, or filled with zeros"""

    caught_by = "test_an_embedder_of_another_dimension_is_refused"

    def _vectors(self, plants: Sequence[Plant], dimension: int | None) -> Any:
        assert dimension is not None
        made = [p.vector if p.vector is not None else self.embedder.documents([p.text])[0] for p in plants]  # type: ignore[union-attr]
        return np.asarray([[*v, *([0.0] * dimension)][:dimension] for v in made], dtype=np.float32)


class EmbedsAsItGoes(Broken):
    """each plant is embedded just before it is written, after the earlier ones were"""

    caught_by = "test_a_given_vector_of_another_dimension_is_refused"

    def inject(self, plants: Sequence[Plant]) -> None:
        for plant in plants:
            super().inject([plant])


class OneBigRequest(Broken):
    """a batch over the store's limit is sent in one request"""

    caught_by = "test_one_more_than_a_batch"
    batch = None

    def inject(self, plants: Sequence[Plant]) -> None:
        if plants:
            self.write(plants, self.checked(plants))

    def replacing(self, plant: Plant) -> dict[str, Any]:
        return dict(plant.metadata)


class PromisesTooMuch(Broken):
    """describe states a text limit twice what the adapter then takes"""

    caught_by = "test_a_text_near_the_limit_is_taken"

    def describe(self) -> CorpusDescription:
        return replace(super().describe(), max_text_bytes=200_000)

    def checked(self, plants: Sequence[Plant]) -> Any:
        if any(len(p.text.encode()) > 100_000 for p in plants):
            raise TargetError("payload too large")
        return super().checked(plants)


class ForgetsTheTenant(Broken):
    """writes go to the collection of the same name in another tenant"""

    caught_by = "test_injecting_leaves_the_neighbours_alone"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        client, name = self.store.beside["tenant"]
        upsert(client.get_collection(name), plants, vectors, [p.metadata for p in plants])


class WritesNextDoorToo(Broken):
    """plants are written to a sibling collection as well, and never removed there"""

    caught_by = "test_injecting_leaves_the_neighbours_alone"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        super().write(plants, vectors)
        client, name = self.store.beside["sibling"]
        upsert(client.get_collection(name), plants, vectors, [p.metadata for p in plants])


# removing


class DeletesByFilter(Broken):
    """remove deletes by a filter on the kit's key"""

    caught_by = "test_remove_takes_only_what_was_asked"

    def remove(self, ids: Sequence[str]) -> None:
        if ids:
            self.collection.delete(where={KIT_KEY: KIT_VALUE})


class DeletesAnyId(Broken):
    """remove deletes by id without a look at what is there"""

    caught_by = "test_an_owners_record_is_never_removed"

    def remove(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), 1_000):
            self.collection.delete(ids=list(ids[start : start + 1_000]))


class PassesTheEmptyList(Broken):
    """an empty removal is passed on to the store, which refuses it"""

    caught_by = "test_remove_nothing"

    def remove(self, ids: Sequence[str]) -> None:
        if not ids:
            self.collection.delete(ids=[])
        super().remove(ids)


class DeletesNextDoorToo(Broken):
    """remove deletes the ids in the sibling collection as well"""

    caught_by = "test_removing_leaves_the_neighbours_alone"

    def remove(self, ids: Sequence[str]) -> None:
        super().remove(ids)
        client, name = self.store.beside["sibling"]
        if ids:
            client.get_collection(name).delete(ids=list(ids))


class DropsTheCollection(Broken):
    """remove drops the collection and makes it anew from the records that stay"""

    caught_by = "test_structure_is_the_same_throughout"

    def remove(self, ids: Sequence[str]) -> None:
        if not (ids and set(self.read(ids))):
            return
        kept = [r for r in everything(self.collection) if r.id not in set(ids) or KIT_KEY not in (r.metadata or {})]
        name = self.collection.name
        self.store.client.delete_collection(name)
        self.collection = self.store.collection = self.store.client.create_collection(name, embedding_function=None)
        put(self.collection, kept)


# containers


class CreatesTheMissing(Broken):
    """a collection that is not there is created"""

    caught_by = "test_a_missing_container_is_not_created"

    @staticmethod
    def find(client: Any, name: str) -> Any:
        return client.get_or_create_collection(name, embedding_function=None)


class MarksTheCollection(Broken):
    """the collection's metadata says that it was under test"""

    caught_by = "test_structure_is_the_same_throughout"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        super().write(plants, vectors)
        self.collection.modify(metadata={"tested_by": "darnel"})


class LeavesAScratchCollection(Broken):
    """plants are staged in a collection of their own, which stays"""

    caught_by = "test_structure_is_the_same_throughout"

    def write(self, plants: Sequence[Plant], vectors: Any) -> None:
        scratch = self.store.client.get_or_create_collection("darnel-scratch", embedding_function=None)
        upsert(scratch, plants, vectors, [p.metadata for p in plants])
        super().write(plants, vectors)


class FixesTheDimension(Broken):
    """the first vector of an empty collection is written, which fixes its dimension for good"""

    caught_by = "test_an_empty_container_is_refused"

    def _vectors(self, plants: Sequence[Plant], dimension: int | None) -> Any:
        size = dimension if dimension is not None or self.embedder is None else self.embedder.dimension
        return super()._vectors(plants, size)


class SkipsTheEmbedderCheck(Broken):
    """the preflight does not compare the embedder with the stored vectors"""

    caught_by = "test_another_model_of_the_same_dimension_is_noticed"

    def preflight(self) -> list[Check]:
        return list(corpus_checks(self, self))


class ScansWithoutVectors(Broken):
    """a scan leaves the vectors out, so the digest does not cover them"""

    caught_by = "test_the_digest_sees_a_changed_vector"

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Any]]:
        return super().scan(batch, vectors=False)
