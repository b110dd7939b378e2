"""The findings document: what ``darnel audit --json`` prints."""

from __future__ import annotations

import msgspec

from darnel.audit.model import SEVERITIES, Finding, Severity

SCHEMA_VERSION = 1


class Problem(msgspec.Struct, frozen=True):
    """Something about reading: ``where`` it was, ``what`` was wrong. ``kind``: skipped, unreadable or repaired."""

    kind: str
    where: str
    what: str


class SourceInfo(msgspec.Struct, frozen=True):
    """What was read of one file or target. ``repaired`` records were read too, with what was broken in them replaced.

    ``problems`` are the first of each kind; the counts are whole.
    """

    name: str
    kind: str
    read: int
    skipped: int
    unreadable: int
    repaired: int
    problems: list[Problem]
    digest_before: str | None = None
    digest_after: str | None = None


class DetectorInfo(msgspec.Struct, frozen=True):
    """One detector. ``not_run``: why it did not run; empty where it did."""

    name: str
    summary: str
    blind: str
    not_run: str
    findings: int


class AuditRun(msgspec.Struct, frozen=True):
    """When and with what. ``seconds``: wall time."""

    darnel: str
    python: str
    started: str
    seconds: float
    cpu_seconds: float


class AuditResults(msgspec.Struct, frozen=True):
    """The whole document. ``flagged``: distinct records with a finding; ``errors``: what keeps a clean result from counting."""

    schema_version: int
    run: AuditRun
    sources: list[SourceInfo]
    detectors: list[DetectorInfo]
    findings: list[Finding]
    read: int
    skipped: int
    unreadable: int
    flagged: int
    alert_budget: float
    fail_on: Severity
    interrupted: bool
    errors: list[str]
    exit_code: int

    def to_json(self) -> bytes:
        """Indented UTF-8 JSON; keys in a fixed order."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def at_least(self, severity: Severity) -> list[Finding]:
        """Findings of that severity or worse."""
        least = SEVERITIES.index(severity)
        return [f for f in self.findings if SEVERITIES.index(f.severity) >= least]
