"""Findings in every format: each finding with whether it counts, and nothing hostile alive in any."""

from __future__ import annotations

import csv
import io
import json
from datetime import date

import msgspec
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from darnel.audit.accepted import Acceptance, Baseline
from darnel.audit.detector import Context
from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.readers.corpus import StoreReader
from darnel.audit.results import AuditResults
from darnel.core.corpus import Record
from darnel.core.errors import UsageError
from darnel.reports.findings_sarif import sarif
from darnel.reports.formats import FINDINGS_FORMATS, parse_output
from tests.reports.hostile import HOSTILE, everywhere
from tests.reports.test_escape import harmless, rendered
from tests.support.audit import Listed

KEPT = {"severity", "state", "until", "started", "schema_version", "fail_on"}
RECORDS = [
    Record("old", "Log in to your раураl page."),
    Record("new", "The harbour opens. " + "ferry times " * 20 + "And it closes."),
    Record("=cmd", "An in\u200bvis\u200bible w\u200bord."),
    Record("fine", "A plain text."),
]


def audited(records: list[Record], **options: object) -> AuditResults:
    return run_audit([StoreReader(Listed(records), "list")], AuditOptions(Context(), **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def results() -> AuditResults:
    """One finding of each state."""
    before = audited(RECORDS[:1])
    accepted = [Acceptance("-2+3 is fine", date(2999, 1, 1), record="=*")]
    return audited(RECORDS, baseline=Baseline("before.json", before.findings), accepted=accepted)


@pytest.fixture(scope="module")
def hostile(results: AuditResults) -> AuditResults:
    whole = msgspec.to_builtins(msgspec.structs.replace(results, errors=["e"], warnings=["w"]))
    spread = everywhere(whole)
    assert isinstance(spread, dict)

    def kept(value: object, own: object) -> object:
        """Closed vocabularies stay what they are."""
        if isinstance(value, dict) and isinstance(own, dict):
            return {k: own[k] if k in KEPT else kept(value[k], own[k]) for k in value}
        if isinstance(value, list) and isinstance(own, list):
            return [kept(v, o) for v, o in zip(value, own, strict=True)]
        return value

    return msgspec.convert(kept(spread, whole), AuditResults)


def content(results: AuditResults, name: str) -> str:
    return next(f for f in FINDINGS_FORMATS if f.name == name).render(results).decode()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.html", "html"),
        ("a.xml", "junit"),
        ("a.csv", "csv"),
        ("a.jsonl", "jsonl"),
        ("a.sarif", "sarif"),
        ("md:a", "md"),
    ],
)
def test_the_format_is_told_from_the_ending(given: str, name: str) -> None:
    assert parse_output(given, FINDINGS_FORMATS).format.name == name


def test_an_ending_that_says_nothing() -> None:
    with pytest.raises(UsageError, match=r"\.sarif \(sarif\)"):
        parse_output("a.pdf", FINDINGS_FORMATS)


def test_rows_have_every_finding_with_its_state(results: AuditResults) -> None:
    rows = list(csv.DictReader(io.StringIO(content(results, "csv"), newline="")))
    lines = [json.loads(line) for line in content(results, "jsonl").splitlines()]
    states = {line["record"]: line["state"] for line in lines}
    assert states == {"old": "known", "new": "new", "=cmd": "suppressed"}
    assert [r["state"] for r in rows] == [line["state"] for line in lines]
    assert next(r for r in rows if r["state"] == "suppressed")["record"] == "'=cmd"  # no formula


def test_no_findings_have_a_heading_all_the_same() -> None:
    clean = audited(RECORDS[3:])
    assert content(clean, "csv").startswith("state,severity,")
    assert content(clean, "jsonl") == ""
    assert "None." in content(clean, "html")


def test_junit(results: AuditResults) -> None:
    suites = {s.name: {c.name: c for c in s} for s in JUnitXml.fromstring(content(results, "junit"))}
    cases = suites["darnel.detectors"]
    assert [type(x) for x in cases["repetition"].result] == [Failure]
    assert "new" in cases["repetition"].result[0].message
    assert not cases["mixed-script"].result  # known: told, and no failure
    assert "high" in cases["hidden-characters"].system_out
    assert not cases["hidden-characters"].result
    assert [type(x) for x in cases["echo"].result] == [Skipped]
    assert not any(case.result for case in suites["darnel.promises"].values())


def test_what_was_not_looked_at_is_an_error_in_junit() -> None:
    suites = {s.name: {c.name: c for c in s} for s in JUnitXml.fromstring(content(audited([]), "junit"))}
    assert [type(x) for x in suites["darnel.promises"]["everything could be looked at"].result] == [Error]


def test_sarif_says_what_is_new_and_what_is_accepted(results: AuditResults) -> None:
    found = sarif(results)["runs"][0]["results"]
    named = {r["locations"][0]["logicalLocations"][0]["name"]: r for r in found}
    assert named["new"]["baselineState"] == "new"
    assert named["old"]["baselineState"] == "unchanged"
    assert named["=cmd"]["suppressions"][0]["justification"] == "-2+3 is fine (until 2999-01-01)"


@pytest.mark.parametrize("name", [f.name for f in FINDINGS_FORMATS])
def test_hostile_text_is_inert(hostile: AuditResults, name: str) -> None:
    text = content(hostile, name)
    assert harmless("".join(text.splitlines())), name
    assert "owned" in text
    if name == "html":
        assert "<script>window.owned" not in text
        assert "<img" not in text
    if name == "md":
        assert "<script" not in rendered(text)


def test_hostile_text_is_there_to_be_inert(hostile: AuditResults) -> None:
    assert hostile.findings[0].record.startswith(HOSTILE)
