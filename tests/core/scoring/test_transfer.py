"""Plants asked for in other words than they were made for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record, Reply, Target
from darnel.core.errors import QueryFileError, UsageError
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query, load_queries, make_queries
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.core.stats import rate
from darnel.patterns.registry import parse_doses
from darnel.reports.html import render_html
from darnel.reports.markdown import render_markdown
from tests.core.running.test_again import ForgetfulCorpus
from tests.core.scoring.test_comparing import RECORDS
from tests.support.command import Outcome

SAME, OTHER = "red lamp of the harbour please", "bell, rope and stair"
QUERIES = [
    Query("both", "where is the red lamp of the harbour?", paraphrases=(OTHER, SAME)),
    Query("neither", "where is the tall gate of the mill?", paraphrases=(OTHER, "clock in the market")),
    Query("none", "where is the old boat of the school?"),
]


class Failing(MemoryCorpus):
    """Answers every question but one."""

    bad = ""

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        replies = super().retrieve(queries, k)
        return [Reply(error="timed out") if q == self.bad else r for q, r in zip(queries, replies, strict=True)]


def run(ledger: Ledger, bad: str = "", queries: Sequence[Query] = QUERIES, **options: object) -> Results:
    corpus = Failing(RECORDS)
    corpus.bad = bad
    chosen = RunOptions(transfer=True, **options)  # type: ignore[arg-type]
    return run_mode_a(Target(corpus, corpus, corpus), queries, parse_doses(["echo:3"]), chosen, ledger)


def transfer(results: Results) -> tuple[int, int]:
    found = next(s.transfer for s in results.scores if s.pattern == "echo:3")
    assert found == rate(found.hits, found.n)
    return found.hits, found.n


@pytest.mark.parametrize("isolation", ["pattern", "query", "together"])
def test_one_wording_that_brings_a_plant_is_enough(ledger: Ledger, isolation: str) -> None:
    found = run(ledger, isolation=isolation)
    assert transfer(found) == (1, 2)
    assert [s.transfer.hits for s in found.scores if s.pattern == "control:1"] == [0]
    assert {q.id: q.paraphrases for q in found.queries} == {q.id: list(q.paraphrases) for q in QUERIES}


def test_asking_in_other_words_changes_nothing_else(ledger: Ledger) -> None:
    plain = run_mode_a(Target(*[MemoryCorpus(RECORDS)] * 3), QUERIES, parse_doses(["echo:3"]), RunOptions(), ledger)
    assert transfer(plain) == (0, 0)
    assert [q.paraphrases for q in plain.queries] == [[], [], []]
    found = run(ledger)
    bare = [msgspec.structs.replace(s, transfer=rate(0, 0)) for s in found.scores]
    assert bare == [msgspec.structs.replace(s, transfer=rate(0, 0)) for s in plain.scores]
    assert [(r.query, r.pattern, r.rank) for r in found.observations] == [
        (r.query, r.pattern, r.rank) for r in plain.observations
    ]


@pytest.mark.parametrize(
    ("bad", "counted"), [(OTHER, (1, 1)), (SAME, (0, 1)), ("clock in the market", (1, 1)), (QUERIES[0].text, (1, 2))]
)
def test_what_could_not_be_told_is_not_counted(ledger: Ledger, bad: str, counted: tuple[int, int]) -> None:
    assert transfer(run(ledger, bad)) == counted


def test_what_an_index_lost_is_asked_again_in_other_words_too(ledger: Ledger) -> None:
    queries = [
        Query(f"q{n}", f"How do flour and yeast go with oven {n}?", paraphrases=(f"flour, yeast and oven {n}",))
        for n in range(4)
    ]
    corpus = ForgetfulCorpus([Record(f"r{n}", f"flour and water {n}") for n in range(30)], {"q1", "q2"}, shows=2)
    options = RunOptions(transfer=True, visible_within=0.3, gone_within=0.3)
    found = run_mode_a(Target(corpus, corpus, corpus), queries, parse_doses(["echo:3"]), options, ledger)
    assert transfer(found) == (4, 4)


@pytest.mark.parametrize(
    ("queries", "search", "says"),
    [([QUERIES[2]], True, "no question has paraphrases"), (QUERIES, False, "leave it away for an application")],
)
def test_what_cannot_be_measured_is_refused(ledger: Ledger, queries: list[Query], search: bool, says: str) -> None:
    corpus = MemoryCorpus(RECORDS)
    target = Target(corpus, corpus, corpus, store_search=search)
    with pytest.raises(UsageError, match=says):
        run_mode_a(target, queries, parse_doses(["echo"]), RunOptions(transfer=True), ledger)


def test_paraphrases_of_a_file() -> None:
    (one,) = load_queries(['{"text": "a", "paraphrases": [" b ", "c"]}'], "q.jsonl")
    assert one.paraphrases == ("b", "c")
    for given in ("b", [1], [" "], {"en": "b"}):
        with pytest.raises(QueryFileError, match="query 1: 'paraphrases' must be a list of texts"):
            make_queries([{"text": "a", "paraphrases": given}])
    with pytest.raises(QueryFileError, match="the query holds"):
        make_queries([{"text": "a", "paraphrases": ["b\ud800"]}])


def test_the_command_line_and_every_page_say_it(
    cli: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledger: Ledger
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"_id": r.id, "text": r.text} for r in RECORDS]
    Path("c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [{"_id": q.id, "text": q.text, "paraphrases": list(q.paraphrases)} for q in QUERIES]
    Path("q.jsonl").write_text("\n".join(map(json.dumps, asked)))
    command = ["run", "memory:c.jsonl#bm25", "--queries", "q.jsonl", "-p", "echo:3"]
    line = "exposed@5 by one of them: control:1 0 of 2 (0.00, 0.00–0.66); honest:1 "
    assert line in " ".join(cli(*command, "--transfer").out.split())
    assert "other words" not in cli(*command).out
    found = run(ledger)
    assert "echo:3 1 of 2 \\(0" in render_markdown(found) or "echo:3 1 of 2 (0" in render_markdown(found)
    assert "echo:3 1 of 2 (0" in render_html(found)
    assert "--transfer" in render_html(found)


def test_among_the_first_k_is_what_counts(ledger: Ledger) -> None:
    # the plant is the second best for this: record 24 has lamp, harbour and its own number
    asked = [Query("q", "where is the red lamp of the harbour?", paraphrases=("harbour 24 lamp number 24",))]
    assert transfer(run(ledger, queries=asked, k=1)) == (0, 1)
    assert transfer(run(ledger, queries=asked, k=2)) == (1, 1)
