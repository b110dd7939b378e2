"""Seconds a pattern-question pair: darnel, and raginject 0.12 through its LangChain injector, on the same Chroma corpus.

raginject writes one document, asks one question and deletes, pair after pair; it runs here as its documentation shows it:
its runner, its LangChain injector and target, its ``retrieval_match`` judge, a chain that retrieves and answers without a
model. It is given the very texts that darnel plants (the first of a pattern's documents), the same embedder, cached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.raw_client import Call
from benchmarks.stores import COLLECTION, Corpus, copied, open_client

NEEDED = ("raginject", "langchain_chroma", "langchain_core")
K = 5
PATTERNS = 6


@dataclass(frozen=True)
class Pair:
    """One document for one question."""

    pattern: str
    query_id: str
    question: str
    text: str


def missing() -> str | None:
    """What to install where the peer is not there."""
    from importlib.util import find_spec

    absent = [name for name in NEEDED if find_spec(name) is None]
    if not absent:
        return None
    return f"{', '.join(absent)} not installed; in an environment of its own: pip install raginject==0.12.0 langchain-chroma"


@dataclass(frozen=True)
class Bench:
    """What both sides work with. ``run(collection, queries, embedder, ledger, isolation)``: a complete darnel run."""

    root: Path
    corpus: Corpus
    pairs: list[Pair]
    vectors: Any
    run: Callable[..., Any]

    def darnel(self, queries: Sequence[Any], name: str, isolation: str = "pattern") -> float:
        """Seconds a pair of a run over these questions, all patterns."""
        with copied(self.root / "store", self.root / name) as collection:
            started = time.perf_counter()
            self.run(collection, queries, self.vectors, self.root / f"{name}.db", isolation)
            return (time.perf_counter() - started) / (PATTERNS * len(queries))

    def raginject(self, pairs: Sequence[Pair], name: str) -> float:
        """Seconds a pair."""
        with copied(self.root / "store", self.root / name):
            work = _raginject(self.root / name, pairs, self.vectors)
            started = time.perf_counter()
            work()
            return (time.perf_counter() - started) / len(pairs)


def compare(bench: Bench, wanted: int, rounds: int) -> dict[str, Any]:
    """Time both in turn; what works pair after pair does ``wanted`` of the pairs, evenly drawn from all of them."""
    pairs = bench.pairs[:: max(1, len(bench.pairs) // wanted)]
    queries = bench.corpus.queries
    few = queries[:: max(1, PATTERNS * len(queries) // wanted)]
    ours, theirs, single = [], [], []
    for number in range(rounds):
        ours.append(bench.darnel(queries, f"ours-{number}"))
        theirs.append(bench.raginject(pairs, f"theirs-{number}"))
        single.append(bench.darnel(few, f"single-{number}", "query"))
    return {
        "milliseconds a pair": {
            f"darnel, {len(bench.pairs)} pairs": _milliseconds(ours),
            f"raginject, {len(pairs)} pairs": _milliseconds(theirs),
            f"darnel --isolation query, {PATTERNS * len(few)} pairs": _milliseconds(single),
        },
        "raginject / darnel": round(median(theirs) / median(ours), 1),
        "raginject / darnel --isolation query": round(median(theirs) / median(single), 2),
    }


def pairs_of(corpus: Corpus, results: Any, plan: Sequence[Call]) -> list[Pair]:
    from darnel.core.plant import find_markers

    texts = {
        m: text
        for call in plan
        if "documents" in call.arguments
        for text in call.arguments["documents"]
        for m in find_markers(text)
    }
    questions = {q.id: q.text for q in corpus.queries}
    first = [o for o in results.observations if o.plant.endswith("/0")]
    return [Pair(o.pattern, o.query, questions[o.query], texts[o.marker]) for o in first]


def _raginject(folder: Path, pairs: Sequence[Pair], vectors: Any) -> Callable[[], None]:
    """Everything set up, ready to be timed."""
    from langchain_chroma import Chroma
    from langchain_core.runnables import RunnableLambda
    from raginject import Runner
    from raginject.attacks.schema import AttackPattern, SuccessCriteria
    from raginject.integrations.langchain import LangChainTarget, LangChainVectorStoreInjector

    store = Chroma(
        client=open_client(folder),
        collection_name=COLLECTION,
        embedding_function=_langchain_embeddings(vectors),
        create_collection_if_not_exists=False,
    )
    retriever = store.as_retriever(search_kwargs={"k": K})
    chain = RunnableLambda(lambda question: {"answer": "not asked", "context": retriever.invoke(question)})
    runner = Runner(LangChainTarget(chain), corpus_injector=LangChainVectorStoreInjector(store))
    runner.add_patterns(
        [
            AttackPattern(
                id=f"{number}-{pair.pattern}-{pair.query_id}".replace(":", "-"),
                category="retriever_poisoning",
                description=pair.pattern,
                injected_content=pair.text,
                question=pair.question,
                success_criteria=SuccessCriteria(type="retrieval_match"),
            )
            for number, pair in enumerate(pairs)
        ]
    )

    def work() -> None:
        done = runner.run()
        assert len(done.outcomes) == len(pairs)
        assert done.error_count == 0, done.summary
        assert not runner.uncleaned_document_ids

    return work


def _langchain_embeddings(vectors: Any) -> Any:
    from langchain_core.embeddings import Embeddings

    class Table(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return vectors.documents(texts).tolist()

        def embed_query(self, text: str) -> list[float]:
            return vectors.queries([text])[0].tolist()

    return Table()


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _milliseconds(values: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(median(values) * 1e3, 2),
        "min": round(min(values) * 1e3, 2),
        "max": round(max(values) * 1e3, 2),
    }
