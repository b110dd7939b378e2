"""Every format read back by the tool it is for: CSV and JSON Lines, JUnit, SARIF, Markdown, and which file gets which."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from darnel.core.document import load_results
from darnel.core.errors import UsageError
from darnel.core.results import Results, Suppressed
from darnel.reports.fitting import STEP_SUMMARY, fit
from darnel.reports.formats import FORMATS, parse_output
from darnel.reports.junit import render_junit
from darnel.reports.markdown import render_markdown
from darnel.reports.rows import render_csv, render_jsonl
from darnel.reports.sarif import render_sarif
from tests.reports.test_escape import harmless, rendered

SARIF = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))


def sarif_of(results: Results) -> dict[str, Any]:
    """The document's one run, once the published schema holds."""
    document = json.loads(render_sarif(results))
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(document)
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


def junit_of(results: Results) -> dict[str, dict[str, Any]]:
    """Suite → case → its case, as junitparser reads the document."""
    document = JUnitXml.fromstring(render_junit(results))
    suites = {suite.name.removeprefix("darnel."): {case.name: case for case in suite} for suite in document}
    assert document.tests == sum(map(len, suites.values()))
    return suites


def kinds(case: Any) -> list[type]:
    return [type(item) for item in case.result]


@pytest.mark.parametrize(
    ("given_name", "format_name", "path"),
    [
        ("x.html", "html", "x.html"),
        ("a/b.HTM", "html", "a/b.HTM"),
        ("r.json", "json", "r.json"),
        ("r.ndjson", "jsonl", "r.ndjson"),
        ("r.xml", "junit", "r.xml"),
        ("r.sarif", "sarif", "r.sarif"),
        ("md:summary", "md", "summary"),
        ("html:odd.name", "html", "odd.name"),
        ("JUnit:c:r.txt", "junit", "c:r.txt"),
    ],
)
def test_a_name_tells_its_format(given_name: str, format_name: str, path: str) -> None:
    output = parse_output(given_name)
    assert (output.format.name, output.path) == (format_name, Path(path))


@pytest.mark.parametrize("name", ["report", "report.doc", "pdf:x.pdf", "md:", ".html.bak"])
def test_an_unknown_ending_names_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match=r"\.html/\.htm \(html\).*\.sarif \(sarif\)") as caught:
        parse_output(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("one", FORMATS, ids=lambda f: f.name)
def test_every_format_states_where_how_large_how_asked_and_of_how_many(one: Any, results: Results) -> None:
    text = one.render(results).decode()
    target = results.target
    for fact in (target.backend, target.container, str(target.size), target.isolation, str(target.k)):
        assert fact in text
    for score in results.scores:
        assert score.pattern in text


@pytest.mark.parametrize("one", FORMATS, ids=lambda f: f.name)
def test_what_could_not_be_told_is_seen_in_every_format(one: Any, silent: Results) -> None:
    assert "inconclusive" in one.render(silent).decode()


@pytest.mark.parametrize("one", [f for f in FORMATS if f.name != "html"], ids=lambda f: f.name)
def test_hostile_text_hides_nothing_in_any_format(one: Any, hostile: Results) -> None:
    text = one.render(hostile).decode().replace("\r\n", "\n")
    assert harmless(text.replace("\n", ""))


def test_json_reads_back(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_bytes(parse_output("r.json").format.render(results))
    assert load_results(path) == results


def test_rows_are_the_observations(results: Results) -> None:
    lines = [json.loads(line) for line in render_jsonl(results).splitlines()]
    table = list(csv.DictReader(io.StringIO(render_csv(results))))
    assert len(lines) == len(table) == len(results.observations)
    for line, cells, row in zip(lines, table, results.observations, strict=True):
        assert (line["pattern"], line["query"], line["plant"], line["rank"]) == (
            row.pattern,
            row.query,
            row.plant,
            row.rank,
        )
        assert cells == {key: "" if value is None else str(value) for key, value in line.items()}
        assert line["question"] == next(q.text for q in results.queries if q.id == row.query)
    assert {line["control"] for line in lines if line["pattern"] == "honest:1"} == {"yes"}


@given(
    text=st.text() | st.sampled_from(["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1", " =1", "=cmd|' /C calc'!A0", "'=1"])
)
def test_no_cell_is_a_formula(text: str, results: Results) -> None:
    query = msgspec.structs.replace(results.queries[0], text=text)
    row = msgspec.structs.replace(results.observations[0], query=query.id)
    changed = msgspec.structs.replace(results, queries=[query], observations=[row])
    (cells,) = csv.DictReader(io.StringIO(render_csv(changed)))
    assert not cells["question"].lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r"))
    if text.startswith("="):
        assert cells["question"].startswith("'=")


def test_no_observation_is_a_table_with_a_heading(results: Results) -> None:
    assert render_csv(msgspec.structs.replace(results, observations=[])).count("\n") == 1


def test_junit_has_a_case_a_pattern_and_a_gate(results: Results) -> None:
    suites = junit_of(results)
    assert list(suites["patterns"]) == [score.pattern for score in results.scores]
    assert kinds(suites["gates"]["exposure@5 > 0.9"]) == [Failure]
    assert kinds(suites["gates"]["mrr > 1"]) == []
    failing = {score.pattern for score in results.scores if score.exposure["5"].value > 0.9 and not score.control}
    assert failing
    assert {name for name, case in suites["patterns"].items() if kinds(case) == [Failure]} == failing
    assert all(kinds(case) == [] for name, case in suites["patterns"].items() if name not in failing)
    assert kinds(suites["promises"]["nothing is left behind"]) == []
    assert kinds(suites["promises"]["the corpus is as it was"]) == []


def test_what_could_not_be_told_is_never_a_pass_in_junit(silent: Results, stuck: Results, results: Results) -> None:
    suites = junit_of(silent)
    for case in (*suites["patterns"].values(), *suites["gates"].values()):
        assert kinds(case) == [Error]
    assert kinds(suites["promises"]["everything could be told"]) == [Error]
    assert kinds(junit_of(stuck)["promises"]["nothing is left behind"]) == [Failure]
    lost = msgspec.structs.replace(results.scores[-1], inconclusive=1, index_lost=1)
    some = msgspec.structs.replace(results, scores=[*results.scores[:-1], lost], gates=[])
    assert kinds(junit_of(some)["patterns"][lost.pattern]) == [Skipped]
    unexplained = msgspec.structs.replace(lost, index_lost=0)
    other = msgspec.structs.replace(results, scores=[unexplained], gates=[])
    assert kinds(junit_of(other)["patterns"][lost.pattern]) == [Error]
    untaken = msgspec.structs.replace(results, corpus_digest=None)
    assert kinds(junit_of(untaken)["promises"]["the corpus is as it was"]) == [Skipped]


def test_sarif_has_a_finding_a_failed_gate_and_an_exposed_pattern(results: Results) -> None:
    run = sarif_of(results)
    found = {(item["ruleId"], item["partialFingerprints"]["darnel/v1"]): item for item in run["results"]}
    assert found["darnel/gate", "gate:exposure@5 > 0.9"]["level"] == "error"
    exposed = {s.pattern for s in results.scores if s.exposure["5"].hits and not s.control}
    assert {key for rule, key in found if rule == "darnel/exposure"} == {f"exposure:{name}" for name in exposed}
    assert ("darnel/gate", "gate:mrr > 1") not in found
    assert all(run["tool"]["driver"]["rules"][item["ruleIndex"]]["id"] == item["ruleId"] for item in run["results"])
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["exitCode"] == 1


def test_sarif_points_at_the_line_of_the_question(results: Results) -> None:
    queries = [msgspec.structs.replace(q, where=f"my questions/q#.txt:{n}") for n, q in enumerate(results.queries, 7)]
    run = sarif_of(msgspec.structs.replace(results, queries=queries))
    gate = run["results"][0]
    places = [*gate["locations"], *gate.get("relatedLocations", [])]
    spots = [place["physicalLocation"] for place in places]
    assert {spot["artifactLocation"]["uri"] for spot in spots} == {"my%20questions/q%23.txt"}
    exposed = {
        row.query
        for row in results.observations
        if row.rank is not None and row.rank <= 5 and row.pattern.startswith("echo")
    }
    numbers = {q.id: n for n, q in enumerate(results.queries, 7)}
    assert [spot["region"]["startLine"] for spot in spots] == sorted(numbers[id_] for id_ in exposed)
    assert all("locations" not in item for item in sarif_of(results)["results"])  # asked from Python: there is no file


def test_what_could_not_be_told_is_open_in_sarif(silent: Results, stuck: Results, hostile: Results) -> None:
    run = sarif_of(silent)
    assert {item["ruleId"] for item in run["results"]} == {"darnel/gate", "darnel/inconclusive"}
    assert {(item["kind"], item["level"]) for item in run["results"]} == {("open", "none")}
    assert run["invocations"][0]["executionSuccessful"] is False
    left = [item for item in sarif_of(stuck)["results"] if item["ruleId"] == "darnel/leftover"]
    assert len(left) == len(stuck.leftovers) > 0
    messages = [item["message"]["text"] for item in sarif_of(hostile)["results"]]
    assert any("[x] (javascript:" in text for text in messages)
    assert not any("](" in text for text in messages)  # no text becomes a link


def test_a_page_that_fits_is_whole(results: Results) -> None:
    page = render_markdown(results)
    assert "left out to stay under" not in page
    assert results.run.campaign in page.replace("\\", "")


def test_markdown_is_cut_to_a_step_summary_with_a_count(results: Results) -> None:
    warnings = [f"warning {n} {'x' * 500}" for n in range(5_000)]
    page = render_markdown(msgspec.structs.replace(results, warnings=warnings))
    assert STEP_SUMMARY - 2_000 < len(page.encode()) <= STEP_SUMMARY
    left = int(page.rstrip().splitlines()[-1].split()[0].strip("*").replace(",", ""))
    lines = render_markdown(results).count("\n") + len(["## Warnings", "", *warnings, ""])
    assert left == lines - (page.count("\n") - 2)
    assert 0 < page.count("- warning ") < 5_000
    assert rendered(page).count("<tr>") == rendered(render_markdown(results)).count("<tr>")


@given(st.lists(st.text(max_size=50).filter(lambda line: "\n" not in line)), st.integers(300, 1_000))
def test_a_cut_page_fits_and_counts_right(lines: list[str], most: int) -> None:
    page = fit(lines, most)
    assert len(page.encode()) <= most
    whole = "".join(f"{line}\n" for line in lines)
    if page != whole:
        shown, _, last = page.rstrip("\n").rpartition("\n\n")
        kept = shown.count("\n") + 1 if shown else 0
        assert whole.startswith(shown)
        assert f"{len(lines) - kept:,} more lines" in last or not shown


@pytest.fixture(scope="module")
def accepted(results: Results) -> Results:
    """The result, its failed gate suppressed."""
    gates = [
        msgspec.structs.replace(
            gate,
            verdict="suppressed",
            detail="why",
            patterns=[],
            suppressed=[Suppressed(name, "known since spring", "2999-01-31") for name in gate.patterns],
        )
        if gate.verdict == "failed"
        else gate
        for gate in results.gates
    ]
    assert [gate.verdict for gate in gates] == ["suppressed", "passed"]
    return msgspec.structs.replace(results, gates=gates, exit_code=0)


def test_a_suppressed_gate_is_skipped_in_junit_and_said_so(accepted: Results) -> None:
    suites = junit_of(accepted)
    assert kinds(suites["gates"]["exposure@5 > 0.9"]) == [Skipped]
    names = [one.pattern for one in accepted.gates[0].suppressed]
    assert names
    assert [name for name, case in suites["patterns"].items() if kinds(case) == [Skipped]] == names
    assert "until 2999-01-31: known since spring" in suites["patterns"][names[0]].result[0].message
    assert kinds(suites["promises"]["everything could be told"]) == []


def test_a_suppressed_gate_is_a_suppressed_finding_in_sarif(results: Results, accepted: Results) -> None:
    run = sarif_of(accepted)
    (gate,) = [found for found in run["results"] if found["ruleId"] == "darnel/gate"]
    assert (gate["kind"], gate["level"]) == ("fail", "error")
    assert len(gate["suppressions"]) == len(accepted.gates[0].suppressed)
    assert {(x["kind"], x["status"]) for x in gate["suppressions"]} == {("external", "accepted")}
    assert "known since spring (until 2999-01-31)" in gate["suppressions"][0]["justification"]
    assert not any("suppressions" in found for found in sarif_of(results)["results"])


@pytest.mark.parametrize("name", ["html", "md", "junit", "sarif", "json"])
def test_a_suppressed_gate_is_seen(name: str, accepted: Results) -> None:
    (one,) = [f for f in FORMATS if f.name == name]
    assert "suppressed" in one.render(accepted).decode()
