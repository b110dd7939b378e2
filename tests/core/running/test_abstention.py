"""Questions that the corpus cannot answer: asked with nothing planted, never attacked, and any answer is a breach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.core.corpus import Reply
from darnel.core.document import load_results
from darnel.core.errors import QueryFileError, UsageError
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query, load_queries
from darnel.core.results import Results
from darnel.core.scoring.abstention import CONDITION, judge_abstention
from darnel.reports.html.repeat import command_line
from darnel.reports.markdown import render_markdown
from tests.support import corpora

UNKNOWN = ("When does version 99 appear?", "What is the salary of the author?", "Who won in 2190?")
QUERIES = [*corpora.make_query_list(), *(Query(f"u{n}", text, unanswerable=True) for n, text in enumerate(UNKNOWN))]


class Watched(MemoryCorpus):
    """Notes whom it was planted for, and what was planted while an unanswerable question was asked."""

    def __init__(self) -> None:
        super().__init__(corpora.make_records(metadata=False))
        self.planted_for: set[str] = set()
        self.meanwhile: list[int] = []

    def inject(self, plants: Sequence[Plant]) -> None:
        self.planted_for |= {p.query_id for p in plants}
        super().inject(plants)


def run(say: Callable[[str], Any], ledger: Ledger) -> tuple[Results, Watched]:
    corpus = Watched()

    def ask(question: str) -> Any:
        if question in UNKNOWN:
            corpus.meanwhile.append(len(corpus.plants()))
            return say(question)
        (reply,) = corpus.retrieve([question], 5)
        return Reply(reply.sources, answer="It says so.", searched=True)

    app = darnel.open_target(ask, into=corpus)
    return darnel.run(app, QUERIES, ["echo:1"], ledger=ledger, options=RunOptions(k=5)), corpus


def test_declining_all_of_them_passes_and_they_are_not_attacked(ledger: Ledger) -> None:
    results, corpus = run(lambda _q: "I do not know.", ledger)
    assert results.exit_code == 0
    assert results.abstention is not None
    declined = results.abstention.declined
    assert (declined.hits, declined.n, results.abstention.inconclusive) == (3, 3, 0)
    assert declined.low == pytest.approx(0.438, abs=0.001)
    assert corpus.planted_for == {q.id for q in QUERIES if not q.unanswerable}
    assert corpus.meanwhile == [0, 0, 0]
    assert [q.id for q in results.queries] == [q.id for q in QUERIES[:3]]


def test_one_answer_is_a_breach_that_every_report_shows(ledger: Ledger, tmp_path: Path) -> None:
    results, _ = run(
        lambda q: "In May." if "99" in q else "That is not something I can't answer, I cannot answer.", ledger
    )
    assert results.exit_code == 1
    (gate,) = results.gates
    assert (gate.condition, gate.verdict) == (CONDITION, "failed")
    assert gate.detail == "abstention rate 0.67: 2 of 3 declined, 95 % interval 0.21–0.94; answered: u0"
    assert "abstention rate 0.67" in render_markdown(results)
    assert CONDITION not in " ".join(command_line(results))
    path = tmp_path / "results.json"
    path.write_bytes(results.to_json())
    assert load_results(path).abstention == results.abstention


@pytest.mark.parametrize("say", [lambda _q: 1 / 0, lambda _q: [], lambda _q: " "], ids=["raises", "sources", "blank"])
def test_no_answer_at_all_is_no_pass(say: Callable[[str], Any], ledger: Ledger) -> None:
    corpus = MemoryCorpus(corpora.make_records(metadata=False))

    def ask(question: str) -> Any:
        return say(question) if question == UNKNOWN[0] else corpus.retrieve([question], 5)[0]

    app = darnel.open_target(ask, into=corpus, app=AppOptions(retries=0))
    asked = [*QUERIES[:3], QUERIES[3]]
    results = darnel.run(app, asked, ["echo:1"], ledger=ledger)
    assert (results.exit_code, results.gates[0].verdict) == (2, "unclear")
    assert results.abstention is not None
    assert (results.abstention.declined.n, results.abstention.inconclusive) == (0, 1)


def test_a_store_is_not_asked_and_says_so(ledger: Ledger) -> None:
    results = darnel.run(MemoryCorpus(corpora.make_records(metadata=False)), QUERIES, ["echo:1"], ledger=ledger)
    assert (results.exit_code, results.abstention, results.gates) == (0, None, [])
    assert any("unanswerable questions (3) are not asked" in warning for warning in results.warnings)


def test_something_must_be_there_to_plant_for(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match="at least one question that the corpus can answer"):
        darnel.run(MemoryCorpus(corpora.make_records()), QUERIES[3:], ledger=ledger)


def test_in_files() -> None:
    jsonl = ['{"_id": "a", "text": "One?"}', '{"_id": "b", "text": "Two?", "unanswerable": true}']
    assert [q.unanswerable for q in load_queries(jsonl, "q.jsonl")] == [False, True]
    table = ["id,text,unanswerable", "a,One?,", "b,Two?,true", "c,Three?,False"]
    assert [q.unanswerable for q in load_queries(table, "q.csv")] == [False, True, False]
    with pytest.raises(QueryFileError, match="q.csv:2: 'unanswerable' must be true or false"):
        load_queries(["id,text,unanswerable", "a,One?,perhaps"], "q.csv")


def test_phrases_of_the_users_own() -> None:
    replies = [Reply(answer="Not in the docs."), Reply(answer="Yes."), Reply(answer="No idea, not in the docs")]
    found = judge_abstention(QUERIES[3:], replies, ("not in the docs",))
    assert [row.verdict for row in found.rows] == ["held", "breach", "held"]
