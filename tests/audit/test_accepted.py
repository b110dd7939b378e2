"""Findings that an earlier audit had, and findings that somebody accepts until a date, do not count."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from darnel.audit.accepted import Acceptance, Baseline, accepting
from darnel.audit.results import AuditResults
from darnel.core.corpus import Record
from tests.support import audit as support

TODAY = date(2026, 6, 1)
STUFFED = "ferry times " * 20
RECORDS = [Record("docs/a.md", STUFFED), Record("docs/b.md", "Log in to your раураl page."), Record("c", "Fine.")]


@pytest.fixture(scope="module")
def results() -> AuditResults:
    return support.audit(RECORDS)


def records(found: AuditResults) -> tuple[list[str], list[str], list[str]]:
    return (
        [f.record for f in found.findings],
        [f.record for f in found.known],
        [one.finding.record for one in found.suppressed],
    )


def test_what_the_baseline_has_is_known(results: AuditResults) -> None:
    before = support.audit([Record("docs/a.md", STUFFED), Record("other", "x " * 300)])
    found = accepting(results, Baseline("before.json", before.findings), (), TODAY)
    assert records(found) == (["docs/b.md"], ["docs/a.md"], [])
    assert found.flagged == 1
    assert found.baseline == "before.json"


def test_other_evidence_in_the_same_record_is_new(results: AuditResults) -> None:
    before = support.audit([Record("docs/a.md", "boat times " * 20)])
    assert records(accepting(results, Baseline("b", before.findings), (), TODAY))[1] == []


def test_the_same_at_a_worse_severity_is_new(results: AuditResults) -> None:
    milder = [msgspec.structs.replace(f, severity="low") for f in results.findings]
    worse = [msgspec.structs.replace(f, severity="high") for f in results.findings]
    assert not accepting(results, Baseline("b", milder), (), TODAY).known
    assert not accepting(results, Baseline("b", worse), (), TODAY).findings


def test_the_same_twice_where_there_was_one_is_one_new(results: AuditResults) -> None:
    twice = msgspec.structs.replace(results, findings=[results.findings[0]] * 2)
    found = accepting(twice, Baseline("b", results.findings), (), TODAY)
    assert (len(found.findings), len(found.known)) == (1, 1)


@pytest.mark.parametrize(
    ("detector", "record", "taken"),
    [
        ("repetition", None, ["docs/a.md"]),
        (None, "docs/*", ["docs/a.md", "docs/b.md"]),
        ("mixed-script", "docs/*", ["docs/b.md"]),
        ("mixed-script", "docs/a.md", []),
        (None, "*/B.md", []),
    ],
)
def test_what_is_accepted(results: AuditResults, detector: str | None, record: str | None, taken: list[str]) -> None:
    found = accepting(results, None, [Acceptance("known to us", TODAY, detector, record)], TODAY)
    assert sorted(records(found)[2]) == taken
    assert len(found.findings) + len(taken) == len(results.findings)
    assert bool(found.warnings) == (not taken)


def test_one_that_ended_counts_again_and_is_said(results: AuditResults) -> None:
    over = Acceptance("until the migration", date(2026, 5, 31), "repetition")
    found = accepting(results, None, [over], TODAY)
    assert found.findings == results.findings
    assert "ended on 2026-05-31 (until the migration)" in found.warnings[0]


def test_an_id_that_looks_like_a_pattern_is_itself() -> None:
    found = support.audit([Record("a[1].md", STUFFED)])
    assert not accepting(found, None, [Acceptance("r", TODAY, record="a[1].md")], TODAY).findings
