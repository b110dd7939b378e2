"""The memory corpus keeps every promise; its native client is a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from darnel.adapters.memory import BM25Ranker, DenseRanker, MemoryCorpus, Ranker, memory_target
from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import App, ConformanceFixtures, ConformanceSuite, Declared


class MemoryFixtures(ConformanceFixtures):
    declared: ClassVar[Declared] = Declared(vectors=False, named=False, empty=False, checks=False)
    patience: ClassVar[float] = 0.2
    corpus: ClassVar[type[MemoryCorpus]] = MemoryCorpus

    def ranker(self) -> Ranker:
        return BM25Ranker()

    @pytest.fixture
    def store(self) -> dict[str, MemoryCorpus]:
        under_test = self.corpus(self.records(), ranker=self.ranker(), name="docs")
        return {"docs": under_test, "next door": MemoryCorpus(self.neighbour_records())}

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        return memory_target(store["docs"])

    def witness(self, store: Any) -> list[Record]:
        return list(store["docs"].records.values())

    def write(self, store: Any, records: Sequence[Record]) -> None:
        store["docs"].records.update((r.id, r) for r in records)

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        for id_ in ids:
            del store["docs"].records[id_]

    def structure(self, store: Any) -> object:
        return [(name, corpus.name) for name, corpus in store.items()]

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {"next door": list(store["next door"].records.values())}

    def app(self, store: Any) -> App:
        return lambda question, k: store["docs"].retrieve([question], k)[0].sources


class TestMemory(MemoryFixtures, ConformanceSuite):
    """Ranked by BM25."""


class TestDenseMemory(MemoryFixtures, ConformanceSuite):
    """Ranked by the cosine of vectors that are made when a question comes."""

    def ranker(self) -> Ranker:
        return DenseRanker(self.embedder())
