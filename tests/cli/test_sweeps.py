"""Dose curves, budgets, carriers of another length, and two results compared, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.core.pattern import default_carrier, sized_carrier
from darnel.core.plant import find_markers, make_marker
from tests.support.command import Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    words = ["harbour", "lamp", "boat", "tower", "gate", "mill", "school", "rope"]
    lines = [
        json.dumps({"_id": f"r{i}", "text": " ".join(words[(i + j) % 8] for j in range(5)) + f" note {i}"})
        for i in range(40)
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines))
    (tmp_path / "q.txt").write_text(
        "\n".join(f"where is the {word} of {other}" for word in words[:4] for other in words[4:])
    )
    return ["run", "memory:corpus.jsonl#counts", "--queries", "q.txt"]


def labels(ended: Outcome) -> list[str]:
    return [score["pattern"] for score in json.loads(ended.out)["scores"]]


def test_strengths_make_a_curve(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1,3", "-p", "keywords", "--strengths", "1,5", "--json")
    assert labels(ended) == ["control:1", "honest:1", "echo:1", "echo:3", "keywords:1", "keywords:5"]
    shown = cli(*corpus, "-p", "echo:1,3", "-p", "keywords").out
    line = next(line for line in shown.splitlines() if line.startswith("echo by strength, exposure@5: 1 → "))
    assert "for half the questions" in line
    assert "keywords by strength" not in shown


@pytest.mark.parametrize("strengths", ["0", "x", "1,1001", "1.5"])
def test_a_bad_strength_is_one_line(cli: Cli, corpus: list[str], strengths: str) -> None:
    ended = cli(*corpus, "-p", "echo", "--strengths", strengths)
    assert ended.code == 2
    assert "give whole numbers from 1 to 1,000" in ended.err


def test_a_budget_leaves_out_and_says_so(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1,2,3", "--budget", "64", "--json")
    found = json.loads(ended.out)
    assert labels(ended) == ["control:1", "honest:1", "echo:1", "echo:2"]
    assert found["cleanup"]["planted"] == 64
    assert any("echo:3 was left out: it takes 16 plants and 64 of 64 are spent" in w for w in found["warnings"])


@pytest.mark.parametrize("words", [4, 5, 12, 33, 34, 35, 100, 500])
def test_a_carrier_is_as_long_as_it_says_and_marked(words: int) -> None:
    marker = make_marker(0, "x")
    text = sized_carrier(words)(marker)
    assert len(text.split()) == words
    assert find_markers(text) == {marker}
    if words == 34:
        assert text == default_carrier(marker)


def test_carrier_words_reach_the_plants(cli: Cli, corpus: list[str]) -> None:
    found = json.loads(cli(*corpus, "-p", "echo", "--carrier-words", "100", "--json").out)
    words = {p["label"]: p["words"] for p in found["patterns"]}
    assert words["control:1"] == 100
    assert words["echo:1"] == 106


def test_two_results_compared(cli: Cli, corpus: list[str]) -> None:
    assert cli(*corpus, "-p", "echo:1", "--out", "a").code == 0
    assert cli(*corpus, "-p", "echo:1", "--carrier-words", "100", "--out", "b").code == 0
    ended = cli("compare", "a/results.json", "b/results.json")
    assert ended.code == 0
    assert "echo:1" in ended.out
    found = json.loads(cli("compare", "a/results.json", "b/results.json", "--json").out)
    assert [item["pattern"] for item in found["patterns"]] == ["control:1", "honest:1", "echo:1"]
    assert cli("compare", "a/results.json", "none.json").code == 2


def test_a_regression_fails_where_it_is_asked_to(cli: Cli, corpus: list[str]) -> None:
    assert cli(*corpus, "-p", "echo:3", "--out", "after").code == 0
    weak = json.loads(Path("after/results.json").read_text())
    for row in weak["observations"]:
        if row["pattern"] == "echo:3":
            row.update(outcome="not retrieved", stage="visible", rank=None, position=None, proof=None)
    Path("before.json").write_text(json.dumps(weak))
    ended = cli("compare", "before.json", "after/results.json", "--fail-on-regression")
    assert ended.code == 1
    assert "regression: echo:3: exposure@5 rose by" in ended.out
    assert cli("compare", "before.json", "after/results.json").code == 0
    assert cli("compare", "after/results.json", "before.json", "--fail-on-regression").code == 0


def test_several_retrievers_are_run_and_compared_with_the_first(cli: Cli, corpus: list[str]) -> None:
    both = [*corpus, "-p", "echo:3", "--retriever", "own", "--retriever", "bm25+echo-filter"]
    ended = cli(*both, "--out", "r", "-o", "{name}.csv")
    assert ended.code in (0, 2)
    assert "own → bm25+echo-filter" in ended.out
    assert "regression" not in ended.out
    assert {p.name for p in Path("r").iterdir()} == {"1-own", "2-bm25-echo-filter"}
    assert Path("2-bm25-echo-filter.csv").is_file()
    told = json.loads(cli(*both, "--json").out)
    assert [item["retriever"] for item in told] == ["own", "bm25+echo-filter"]
    assert told[1]["results"]["target"]["app"] == "bm25+echo-filter"


def test_a_retriever_that_is_not_known_is_one_line(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo", "--retriever", "bm52")
    assert ended.code == 2
    assert "did you mean 'bm25'" in ended.err
    assert cli(*corpus, "--retriever", "own", "--retriever", "bm25", "--dry-run").code == 2
