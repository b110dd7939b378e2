"""PoisonedRAG's released texts, planted as its black-box attack plants them: darnel's ranks and means against its formulas.

What came back is noted by a witness beside the run, which knows a text by its words and nothing of darnel's scores.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

import ir_measures
import pytest
from ir_measures import RR, P, Qrel, R, ScoredDoc, Success

from benchmarks.stores import beir
from darnel.adapters.memory import BM25Ranker, DenseRanker, MemoryCorpus
from darnel.adapters.memory.open import memory_target
from darnel.adapters.memory.rankers import Ranker
from darnel.core.corpus import Record, Reply, Retriever
from darnel.core.options import RunOptions
from darnel.core.pattern import CraftRequest
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.core.results import Results, Score
from darnel.core.running.runner import run_mode_a
from darnel.embedders.resolve import resolve_embedder
from darnel.patterns.base import Recipe
from darnel.patterns.registry import parse_doses

TEXTS, K = 5, 5
"""As its main.py has them: five texts a question, the five best passages given to the model."""


@dataclass(frozen=True)
class Released:
    """The questions of one set, and the five texts released for each."""

    texts: dict[str, Sequence[str]]

    def craft(self, request: CraftRequest) -> str:
        """The question, then the text: the attack without access to the retriever. The marker comes last."""
        return f"{request.query} {self.texts[request.query][request.copy]} {request.marker}"

    @property
    def pattern(self) -> Recipe:
        return Recipe("released", "PoisonedRAG's texts.", "sets", self.craft, plants=lambda _strength: TEXTS)


class Witness:
    """Passes questions on, and notes what came back for each, last answer last."""

    def __init__(self, inner: Retriever) -> None:
        self.inner, self.seen = inner, dict[str, list[list[str]]]()

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        replies = self.inner.retrieve(queries, k)
        for query, reply in zip(queries, replies, strict=True):
            self.seen.setdefault(query, []).append([source.text or "" for source in reply.sources])
        return replies


RANKERS: dict[str, Callable[[], Ranker]] = {
    "bm25": BM25Ranker,
    "dense": lambda: DenseRanker(resolve_embedder("wordllama")),
}


@pytest.fixture(scope="module", params=["nq", "hotpotqa", "msmarco"])
def released(data: Path, request: pytest.FixtureRequest) -> Released:
    path = data / "poisonedrag" / f"{request.param}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return Released({row["question"]: row["texts"] for row in rows})


@pytest.fixture(scope="module", params=list(RANKERS))
def measured(
    released: Released, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Score, dict[str, list[bool]]]:
    """darnel's score, and for each question whether each place, best first, held one of its own five texts."""
    ground = beir("cranfield", query_limit=1)
    records = [Record(i, text) for i, text in zip(ground.ids, ground.texts, strict=True)]
    target = memory_target(MemoryCorpus(records, ranker=RANKERS[request.param]()))
    assert target.retriever is not None
    witness = Witness(target.retriever)
    queries = [Query(f"q{n}", text) for n, text in enumerate(released.texts)]
    with Ledger(tmp_path_factory.mktemp("run") / "ledger.db") as ledger:
        doses = parse_doses([released.pattern], controls=False)
        results: Results = run_mode_a(replace(target, retriever=witness), queries, doses, RunOptions(k=K), ledger)
    assert (results.exit_code, results.cleanup.planted, results.cleanup.removed) == (0, 500, 500)
    own = set(ground.texts)
    lists = {query.id: _places(witness.seen[query.text], released.texts[query.text], own) for query in queries}
    return results.scores[0], lists


def _places(answers: Sequence[Sequence[str]], five: Sequence[str], own: set[str]) -> list[bool]:
    """Of the deepest answer given while plants were there: its places, without the plants of other questions."""
    planted = max((texts for texts in answers if not own.issuperset(texts)), key=len, default=answers[0])
    mine = [any(text in shown for text in five) for shown in planted]
    return [is_mine for is_mine, shown in zip(mine, planted, strict=True) if is_mine or shown in own]


def test_precision_recall_and_f1_are_poisonedrags(measured: tuple[Score, dict[str, list[bool]]]) -> None:
    score, lists = measured
    found = [sum(places[:K]) for places in lists.values()]
    precision, recall = [n / K for n in found], [n / TEXTS for n in found]
    f1 = [2 * p * r / (p + r) if p + r else 0.0 for p, r in zip(precision, recall, strict=True)]
    assert score.slot_share.value == pytest.approx(fmean(precision))
    assert score.injection_recall.value == pytest.approx(fmean(recall))
    assert score.injection_f1.value == pytest.approx(fmean(f1))
    assert score.slot_share.n == len(lists) == 100


def test_ranks_and_means_are_ir_measures(measured: tuple[Score, dict[str, list[bool]]]) -> None:
    score, lists = measured
    named = {
        query: [f"{'mine' if mine else 'own'} {i}" for i, mine in enumerate(places)] for query, places in lists.items()
    }
    # all five are relevant, those that did not come back too
    qrels = [
        Qrel(query, name, 1)
        for query, names in named.items()
        for name in [*(n for n in names if n.startswith("mine")), *(f"missing {i}" for i in range(TEXTS))][:TEXTS]
    ]
    run = [ScoredDoc(query, name, -float(place)) for query, names in named.items() for place, name in enumerate(names)]
    measures = [*(Success @ k for k in (1, 3, 5, 10)), P @ K, R @ K, RR @ 10]
    found = {str(measure): value for measure, value in ir_measures.calc_aggregate(measures, qrels, run).items()}
    for k in (1, 3, 5, 10):
        assert score.exposure[str(k)].value == pytest.approx(found[f"Success@{k}"])
    assert score.slot_share.value == pytest.approx(found[f"P@{K}"])
    assert score.injection_recall.value == pytest.approx(found[f"R@{K}"])
    assert score.mrr.value == pytest.approx(found["RR@10"])


def test_what_the_attack_reports_is_seen(measured: tuple[Score, dict[str, list[bool]]]) -> None:
    # the paper reports an F1 above 0.9 on its own retrievers and corpora of millions
    score, _ = measured
    assert (score.injection_f1.value or 0) > 0.9
    assert math.isclose(score.exposure["5"].value or 0, 1.0)
