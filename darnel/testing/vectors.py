"""Promise: vectors come from the application's own embedder, over the text alone, and a misfit is refused first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from darnel.core.corpus import CorpusInjector
from darnel.core.errors import DarnelError
from darnel.core.plant import Plant
from darnel.embedders.base import CachedEmbedder
from darnel.testing.embedding import word_embedder, word_vectors
from darnel.testing.plants import changed, ids_of
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds

AGREE = 0.999
"""Cosine: float32, and stores that normalise, come well above it."""


class Vectors(Scenarios):
    """Only where the store keeps vectors (ability ``vectors``)."""

    def test_the_vector_is_that_of_the_text(self, planted: list[Plant], eye: Witness) -> None:
        """Each plant's vector is what the application's embedder makes of its text, and of nothing else.

        If it fails, look at frameworks that embed metadata lines with the text, and at default embedding functions.
        """
        self.declared.need("vectors")
        self._assert_embedded(eye, planted)

    def test_the_vector_follows_the_text(self, injector: CorpusInjector, planted: list[Plant], eye: Witness) -> None:
        """Injecting again with another text replaces the vector too.

        If it fails, look at updates that send the text without its vector.
        """
        self.declared.need("vectors")
        others = self.sow(injector, [changed(p, text=f"All new words, {n}.") for n, p in enumerate(planted)])
        self._assert_embedded(eye, others)

    def test_a_given_vector_is_written(self, injector: CorpusInjector, plants: list[Plant], eye: Witness) -> None:
        """A plant that brings its vector keeps it, beside plants that bring none.

        If it fails, look at whether ``Plant.vector`` is read, and at rows that shift when some vectors are given.
        """
        self.declared.need("vectors")
        own = [float(x) for x in word_vectors(["another direction"], self.embedder().dimension)[0]]
        self.sow(injector, [*plants[:2], replace(plants[2], vector=own), *plants[3:]])
        assert _cosine(eye.records()[plants[2].id].vector, own) > AGREE
        self._assert_embedded(eye, [*plants[:2], *plants[3:]])

    def test_an_embedder_of_another_dimension_is_refused(self, store: Any, plants: list[Plant], eye: Witness) -> None:
        """A ``DarnelError`` before any write.

        If it fails, look at ``check_dimension``; some stores take any length and fail when asked.
        """
        self.declared.need("vectors")
        self._refused(store, word_embedder(self.embedder().dimension + 8), plants, eye)

    def test_a_given_vector_of_another_dimension_is_refused(
        self, injector: CorpusInjector, plants: list[Plant], eye: Witness
    ) -> None:
        """One misfit among good plants: a ``DarnelError`` before any write, the good ones included.

        If it fails, look at ``check_vectors``, before the first batch.
        """
        self.declared.need("vectors")
        size = self.embedder().dimension
        for bad in ([0.5] * (size - 1), [0.5] * (2 * size), [], [0.5] * (size - 1) + [float("nan")]):
            with eye.unchanged(f"an inject with a vector of {len(bad)}"):
                with pytest.raises(DarnelError):
                    injector.inject([*plants[:3], replace(plants[3], vector=bad), plants[4]])
                self.settle()

    def test_an_embedder_that_fails_is_refused(self, store: Any, plants: list[Plant], eye: Witness) -> None:
        """An embedder that raises, gives too few vectors, or NaN: an error before any write.

        If it fails, look at the order: embed everything first, check, then write.
        """
        self.declared.need("vectors")
        size = self.embedder().dimension

        def fail(_texts: list[str]) -> object:
            raise RuntimeError("the model is not loaded")

        for name, function in {
            "raises": fail,
            "gives too few": lambda texts: word_vectors(texts, size)[1:],
            "gives NaN": lambda texts: word_vectors(texts, size) * float("nan"),
        }.items():
            self._refused(store, CachedEmbedder(name, function), plants, eye)

    def test_without_an_embedder_only_planting_is_refused(
        self, store: Any, planted: list[Plant], plants: list[Plant], eye: Witness
    ) -> None:
        """Reading and removing need no embedder, so that a sweep works anywhere; planting is refused.

        If it fails, look at embedders that are loaded, or demanded, too early.
        """
        self.declared.need("vectors")
        opened = self.open(store, None)
        assert set(opened.injector.read(ids_of(planted))) == set(ids_of(planted))
        self._refused(store, None, [changed(p, text="Other.") for p in plants], eye)
        self.pull(opened.injector, planted)
        assert not eye.plants()
        opened.close()

    def test_another_model_of_the_same_dimension_is_noticed(self, store: Any) -> None:
        """The preflight re-embeds sampled records and fails where the vectors differ from those stored.

        If it fails, look at the target's ``checks``: ``vector_checks`` of ``darnel.adapters.checks`` does it.
        """
        self.declared.need("vectors")
        self.declared.need("checks")
        for salt, wanted in (("", False), ("another model", True)):
            embedder = word_embedder(self.embedder().dimension, salt) if salt else self.embedder()
            opened = self.open(store, embedder)
            failed = [c.name for c in opened.checks() if c.ok is False]
            opened.close()
            assert bool(failed) == wanted, f"failed checks with {embedder.name}: {failed}"

    def _refused(self, store: Any, embedder: CachedEmbedder | None, plants: list[Plant], eye: Witness) -> None:
        with eye.unchanged(f"an inject with the embedder {embedder.name if embedder else None}"):
            with pytest.raises(DarnelError):
                self.open(store, embedder).injector.inject(plants)
            self.settle()

    def _assert_embedded(self, eye: Witness, plants: list[Plant]) -> None:
        stored, wanted = eye.records(), self.embedder().documents([p.text for p in plants])
        assert_holds(stored, plants)
        for plant, vector in zip(plants, wanted, strict=True):
            found = _cosine(stored[plant.id].vector, vector)
            assert found > AGREE, f"the vector of {plant.name} is not that of its text (cosine {found:.3f})"


def _cosine(a: Any, b: Any) -> float:
    import numpy as np

    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return float(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)))
