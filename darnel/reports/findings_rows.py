"""Findings as flat rows: JSON Lines and CSV."""

from __future__ import annotations

from collections.abc import Iterator

from darnel.audit.results import AuditResults
from darnel.reports.rows import Row, jsonl, table

HEADS = [
    "state",
    "severity",
    "detector",
    "source",
    "record",
    "line",
    "score",
    "rank",
    "why",
    "evidence",
    "advice",
    "fingerprint",
]


def finding_rows(results: AuditResults) -> Iterator[Row]:
    """One row a finding; its state says whether it counts (new), or the baseline has it (known), or it is suppressed."""
    for state, found in results.states():
        values = (
            *(state, found.severity, found.detector, found.source, found.record, found.line or None, found.score),
            *(found.rank, found.why, " | ".join(s.what for s in found.spans), found.advice, found.fingerprint),
        )
        yield dict(zip(HEADS, values, strict=True))


def render_findings_jsonl(results: AuditResults) -> str:
    """A finding a line."""
    return jsonl(finding_rows(results))


def render_findings_csv(results: AuditResults) -> str:
    """A finding a row."""
    return table(finding_rows(results), HEADS)
