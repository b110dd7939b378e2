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
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder

DATA = Path(__file__).parent / "data"
ASKED = 8
"""Questions that are attacked on each shelf."""
EMBEDDER = "wordllama"
INSTALL = "pip install 'darnel[demo]'"


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


def cover() -> Shelf:
    """The two documents of the harbour office, and eight questions that they answer."""
    questions = read_queries(DATA / "questions.jsonl")
    return Shelf("words, 2 documents", load_corpus(DATA / "cover.jsonl"), questions, questions, word_overlap)


def expected() -> Mapping[str, str]:
    """What the answer to each of these questions must hold."""
    rows = [json.loads(line) for line in (DATA / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["_id"]: row["expects"] for row in rows}


def handbook(model: Embedder) -> Shelf:
    """The 195 passages of darnel's demo by a real embedder, where a planted document has to get past many.

    Attacked are questions that end in a question mark, so that no answer quotes the bait and the payload as one sentence.
    """
    questions = demo_queries()
    attacked = [query for query in questions if query.text.endswith("?")][:ASKED]
    return Shelf("embeddings, 195 documents", demo_records(), attacked, questions, lambda: DenseRanker(model))


def shelves() -> list[Shelf]:
    """Word overlap on two documents, and, where it is installed, a real embedder on 195."""
    return [cover(), *([handbook(resolve_embedder(EMBEDDER))] if find_spec(EMBEDDER) else [])]
