"""Findings as JUnit XML: a test case a detector, and one for each thing that a clean result rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from darnel.audit.results import AuditResults, DetectorInfo
from darnel.reports import findings_wording as wording
from darnel.reports.junit import case, document, problem

if TYPE_CHECKING:
    from junitparser import TestCase

MOST = 20
"""Findings of a detector that its case lists."""


def render_findings_junit(results: AuditResults) -> bytes:
    """The document, UTF-8."""
    suites = {"darnel.detectors": _detectors(results), "darnel.promises": _promises(results)}
    facts = [("darnel", results.run.darnel), ("records", str(results.read)), ("fail on", results.fail_on)]
    return document(suites, results.run.started, [*facts, *(("source", s.name) for s in results.sources)])


def _detectors(results: AuditResults) -> Iterator[TestCase]:
    """Failed where findings count and are bad enough; any other finding is told, and is no failure."""
    for detector in results.detectors:
        yield _detector(detector, results)


def _detector(detector: DetectorInfo, results: AuditResults) -> TestCase:
    if detector.not_run:
        return case(detector.name, problem("skipped", f"not run: {detector.not_run}"))
    bad = [f for f in results.at_least(results.fail_on) if f.detector == detector.name]
    told = "\n".join(
        wording.finding_line(f, results, state) for state, f in results.states() if f.detector == detector.name
    )
    lines = [wording.finding_line(f, results) for f in bad[:MOST]] + [f"and {len(bad) - MOST:,} more"] * (
        len(bad) > MOST
    )
    return case(detector.name, problem("failure", "; ".join(lines)) if bad else None, told)


def _promises(results: AuditResults) -> Iterator[TestCase]:
    trouble = [*results.errors, *["the audit was interrupted"] * results.interrupted]
    if not results.read:
        trouble.append("nothing was read")
    yield case("everything could be looked at", problem("error", "; ".join(trouble)) if trouble else None)
    unread = f"{results.unreadable:,} records could not be read: {'; '.join(wording.problem_lines(results, MOST))}"
    kind = "error" if results.exit_code == 2 else "skipped"
    yield case("every record could be read", problem(kind, unread) if results.unreadable else None)
    told = "\n".join(wording.source_lines(results))
    changed = [s for s in results.sources if s.digest_before != s.digest_after]
    yield case("no store changed", problem("error", told) if changed else None, told)
