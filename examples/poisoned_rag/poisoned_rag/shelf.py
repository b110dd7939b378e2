"""The documents that are there before anything is planted, the questions, and how documents are found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from darnel.adapters.memory.corpus import MemoryCorpus, load_corpus
from darnel.adapters.memory.rankers import CappedCountRanker, DenseRanker, Ranker
from darnel.api import read_queries
from darnel.core.corpus import Record
from darnel.core.queries import Query
from darnel.demo import demo_queries, demo_records
from darnel.embedders.resolve import resolve_embedder

DATA = Path(__file__).parent / "data"
ASKED = 8
"""Questions that are attacked on each shelf."""
EMBEDDER = "wordllama"


def word_overlap() -> Ranker:
    """Words that a text shares with the question, each counted once; words that say nothing are left out."""
    return CappedCountRanker(cap=1)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Documents and questions, and a retriever. ``questions``: those attacked; ``others``: those asked with nothing planted."""

    name: str
    records: Sequence[Record]
    questions: Sequence[Query]
    others: Sequence[Query]
    ranker: Callable[[], Ranker]

    def fresh(self) -> MemoryCorpus:
        """A corpus of its own for each attack, so that none sees another's documents."""
        return MemoryCorpus(self.records, ranker=self.ranker(), name=self.name)


def cover(ranker: Callable[[], Ranker] = word_overlap) -> Shelf:
    """The two documents of the harbour office, and eight questions that they answer."""
    questions = read_queries(DATA / "questions.jsonl")
    return Shelf("words, 2 documents", load_corpus(DATA / "cover.jsonl"), questions, questions, ranker)


def expected() -> Mapping[str, str]:
    """What the answer to each of these questions must hold."""
    rows = [json.loads(line) for line in (DATA / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["_id"]: row["expects"] for row in rows}


def handbook(name: str, ranker: Callable[[], Ranker]) -> Shelf:
    """The 195 passages of darnel's demo, where a planted document has to get past many."""
    questions = demo_queries()
    return Shelf(f"{name}, 195 documents", demo_records(), questions[:ASKED], questions, ranker)


def shelves() -> list[Shelf]:
    """Word overlap on few documents and on many, and, where it is installed, a real embedder on the many."""
    found = [cover(), handbook("words", word_overlap)]
    if find_spec(EMBEDDER):
        model = resolve_embedder(EMBEDDER)
        found.append(handbook("embeddings", lambda: DenseRanker(model)))
    return found
