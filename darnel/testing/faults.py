"""Injectors that fail on the way, around a sound one: what a network does to every adapter sooner or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from darnel.core.corpus import CorpusDescription, CorpusInjector, Record
from darnel.core.plant import Plant


class Faulty:
    """Passes everything on, except that one call fails.

    Args:
        inner: the sound injector.
        batch: plants a batch, as ``describe`` then says.
        fail_at: number of the inject that raises (1: the first; 0: none).
        landing: how many plants of that batch are written before it raises.
        removals: how many removals raise before they work.
    """

    def __init__(
        self, inner: CorpusInjector, *, batch: int = 2, fail_at: int = 0, landing: int = 0, removals: int = 0
    ) -> None:
        self.inner, self.batch = inner, batch
        self.fail_at, self.landing, self.removals = fail_at, landing, removals
        self.calls = 0

    def describe(self) -> CorpusDescription:
        """The inner one's, with small batches."""
        return replace(self.inner.describe(), max_batch=self.batch)

    def inject(self, plants: Sequence[Plant]) -> None:
        """Write, or write some and raise."""
        self.calls += 1
        if self.calls != self.fail_at:
            self.inner.inject(plants)
            return
        self.inner.inject(list(plants)[: self.landing])
        raise TimeoutError("the connection was cut")

    def remove(self, ids: Sequence[str]) -> None:
        """Remove, or raise for the first times."""
        if self.removals:
            self.removals -= 1
            raise TimeoutError("the connection was cut")
        self.inner.remove(ids)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """The inner one's."""
        return self.inner.read(ids)
