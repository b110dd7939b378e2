"""Dose curves, budgets, carriers of another length, and two results compared, from the command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.core.document import load_results
from darnel.core.pattern import default_carrier, sized_carrier
from darnel.core.plant import find_markers, make_marker
from darnel.reports.html.repeat import command_line
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
    assert "for 50% of the questions" in line
    assert "keywords by strength" not in shown


@pytest.mark.parametrize("strengths", ["0", "x", "1,1001", "1.5"])
def test_a_bad_strength_is_one_line(cli: Cli, corpus: list[str], strengths: str) -> None:
    ended = cli(*corpus, "-p", "echo", "--strengths", strengths)
    assert ended.code == 2
    assert "give whole numbers from 1 to 1,000" in ended.err


def test_copies_make_a_curve_and_each_copy_is_a_plant_of_its_own(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:3", "-p", "keywords*2:3", "--copies", "1,4", "--retriever", "bm25", "--json")
    assert labels(ended) == ["control:1", "honest:1", "echo:3", "echo*4:3", "keywords*2:3"]
    found = json.loads(ended.out)
    plants = {p["label"]: (p["plants"], p["pattern"], p["copies"]) for p in found["patterns"]}
    assert plants == {
        "control:1": (16, "control", 1),
        "honest:1": (16, "honest", 1),
        "echo:3": (16, "echo", 1),
        "echo*4:3": (64, "echo", 4),
        "keywords*2:3": (32, "keywords", 2),
    }
    assert len({row["marker"] for row in found["observations"]}) == len(found["observations"]) == 144
    shares = {s["pattern"]: s["slot_share"]["value"] for s in found["scores"]}
    assert shares["echo*4:3"] > shares["echo:3"]
    shown = cli(*corpus, "-p", "echo:3", "--copies", "1,4", "--retriever", "bm25", "--reach", "0.9").out
    line = next(line for line in shown.splitlines() if line.startswith("echo:3 by copies, exposure@5: 1 → "))
    assert "for 90% of the questions" in line


@pytest.mark.parametrize("pattern", ["control*2", "echo*0", "echo*101", "echo*:3", "echo*x"])
def test_bad_copies_are_one_line(cli: Cli, corpus: list[str], pattern: str) -> None:
    ended = cli(*corpus, "-p", pattern)
    assert ended.code == 2
    assert ended.err.startswith("darnel: ") and ended.err.count("\n") == 1
    assert "copies" in ended.err or "control is planted once" in ended.err


def test_further_ks_are_measured_too(cli: Cli, corpus: list[str]) -> None:
    found = json.loads(cli(*corpus, "-p", "echo:1", "--k", "4,7,20", "--json").out)
    assert (found["target"]["k"], found["target"]["depth"]) == (4, 20)
    for score in found["scores"]:
        values = [score["exposure"][str(k)]["value"] for k in (1, 3, 4, 5, 7, 10, 20)]
        assert values == sorted(values)
    assert cli(*corpus, "-p", "echo:1", "--k", "4,0").code == 2
    cli(*corpus, "-p", "echo:1", "--k", "4,20", "-o", "k.md")
    heads = next(line for line in Path("k.md").read_text().splitlines() if line.startswith("| pattern"))
    assert [head.strip() for head in heads.split("|")[3:6]] == ["exposure@1", "exposure@4", "exposure@20"]


def test_lengths_of_the_carrier_make_a_run_each_and_a_curve(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1", "--carrier-words", "10,300", "-o", "{name}.json")
    assert ended.code == 0
    assert "exposure@5 by words of the carrier" in ended.out
    words = {name: json.loads(Path(name).read_text())["patterns"][0]["words"] for name in ("1-10.json", "2-300.json")}
    assert words == {"1-10.json": 10, "2-300.json": 300}
    assert cli(*corpus, "-p", "echo:1", "--carrier-words", "10,300", "-o", "x.json").code == 2


def test_shares_of_the_corpus_make_a_run_each_and_a_curve(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1", "--retriever", "bm25", "--corpus-share", "20%,100%", "--json")
    told = {item["share of the records"]: item["results"] for item in json.loads(ended.out)}
    assert list(told) == ["0.2", "1"]
    lists = {name: {id_ for q in found["queries"] for id_ in q["baseline"]} for name, found in told.items()}
    assert lists["0.2"] < lists["1"]
    assert [found["target"]["app"] for found in told.values()] == ["bm25@0.2", "bm25@1"]
    shown = cli(*corpus, "-p", "echo:1", "--retriever", "bm25", "--corpus-share", "20%,100%").out
    assert "exposure@5 by share of the records" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--corpus-share", "10%"], "looks through all of its records"),
        (["--retriever", "bm25@2"], "above 0 and up to 1"),
        (["--retriever", "own@0.5"], "looks through all of its records"),
        (["--corpus-share", "0"], "shares above 0"),
        (["--seed", "-1"], "not in the range"),
        (["--corpus-share", "nan"], "shares above 0"),
        (["--corpus-share", "10%,x"], "shares above 0"),
        (["--retriever", "bm25", "--corpus-share", "10%,1", "--carrier-words", "10,20"], "several of one only"),
        (["--carrier-words", "10,20", "--dry-run"], "--dry-run is of one run"),
        (["--carrier-words", "10,20", "--baseline", "b.json"], "b.json"),
    ],
)
def test_what_makes_no_curve_is_one_line(cli: Cli, corpus: list[str], options: list[str], said: str) -> None:
    ended = cli(*corpus, "-p", "echo:1", *options)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_budget_leaves_out_and_says_so(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1,2,3", "--budget", "64", "--json")
    found = json.loads(ended.out)
    assert labels(ended) == ["control:1", "honest:1", "echo:1", "echo:2"]
    assert found["cleanup"]["planted"] == 64
    assert any(
        "echo:3 was left out: it takes 16 plants and of the budget of 64 0 are left" in w for w in found["warnings"]
    )


def test_a_budget_that_leaves_out_every_pattern_tests_nothing(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1,2", "--budget", "20", "--json")
    assert labels(ended) == ["control:1", "honest:1"]
    assert ended.code == 2  # the controls alone say nothing of any pattern
    assert cli(*corpus, "-p", "control", "--json").code == 0  # unless nothing else was asked for


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
    assert "A question took" in ended.out and "average" not in ended.out  # nothing in this corpus is said of trust
    assert all(seconds > 0 for seconds in found["each"])
    assert cli("compare", "a/results.json", "none.json").code == 2


def test_average_trust_is_compared_where_the_corpus_carries_it(cli: Cli, corpus: list[str]) -> None:
    path = Path("corpus.jsonl")
    lines = [{**json.loads(line), "metadata": {"trust": "trusted"}} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, lines)))
    run = [*corpus, "-p", "echo:3", "--metadata", "trust=community", "--retriever"]
    assert cli(*run, "bm25", "--out", "a").code == 0
    assert cli(*run, "bm25+trust", "--out", "b").code == 0
    assert "sources changes most under echo:3: 1.00 → 0." in Path("a/report.md").read_text()
    (echo,) = [
        item
        for item in json.loads(cli("compare", "a/results.json", "b/results.json", "--json").out)["patterns"]
        if item["pattern"] == "echo:3"
    ]
    before, after = echo["trust"]
    assert before < after <= 1.0
    assert "average" in cli("compare", "a/results.json", "b/results.json").out


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("bm52", "did you mean 'bm25'"),
        ("bm25+trusty", "unknown defence 'trusty'"),
        ("own+normalise", "normalising"),
        ("bm25@2", "the share is"),
        ("bm25+no_module:at_all", "no_module"),
    ],
)
def test_none_of_several_retrievers_is_run_where_one_cannot_be(
    cli: Cli, corpus: list[str], wrong: str, said: str
) -> None:
    ended = cli(*corpus, "-p", "echo", "--retriever", "own", "--retriever", wrong)
    assert ended.code == 2
    assert said in ended.err
    assert "retriever 1 of 2" not in ended.err


def test_a_gate_on_a_pattern_that_was_left_out_could_not_be_told(cli: Cli, corpus: list[str]) -> None:
    ended = cli(*corpus, "-p", "echo:1,2", "--budget", "48", "--fail-on", "echo:2 exposure@5 > 0.2", "--json")
    told = json.loads(ended.out)
    assert (ended.code, labels(ended)) == (2, ["control:1", "honest:1", "echo:1"])
    assert [(gate["verdict"], gate["detail"]) for gate in told["gates"]] == [("unclear", "echo:2 was not measured")]


def test_the_command_to_repeat_a_run_holds_its_ks_its_reach_and_its_retriever(cli: Cli, corpus: list[str]) -> None:
    cli(*corpus, "-p", "echo*2:3", "--retriever", "bm25@0.5+dedupe", "--k", "4,20", "--reach", "0.9", "-o", "r.json")
    said = " ".join(" ".join(command_line(load_results("r.json"))).replace("\\", "").split())
    assert "--k 4,20 --reach 0.9" in said
    assert "--retriever bm25@0.5+dedupe" in said
    again = cli(*shlex.split(said)[1:], "--json")
    assert json.loads(again.out)["scores"] == json.loads(Path("r.json").read_text())["scores"]
