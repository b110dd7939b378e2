"""The findings document: what ``darnel audit --json`` prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from darnel.audit.model import SEVERITIES, Finding, Severity
from darnel.core.errors import UsageError
from darnel.core.written import as_json

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


State = Literal["new", "known", "suppressed"]


class Excused(msgspec.Struct, frozen=True):
    """A finding that somebody accepts, why, and to the end of which day (UTC)."""

    finding: Finding
    reason: str
    until: str


class AuditRun(msgspec.Struct, frozen=True):
    """When and with what. ``seconds``: wall time."""

    darnel: str
    python: str
    started: str
    seconds: float
    cpu_seconds: float


class AuditResults(msgspec.Struct, frozen=True):
    """The whole document. ``flagged``: distinct records with a finding; ``errors``: what keeps a clean result from counting.

    ``judged``: how many of the records read are new to a profile or to known-good sources; None where all are judged.
    Only ``findings`` count. ``known`` are those that the ``baseline`` has too, ``suppressed`` those that were accepted.
    """

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
    known: list[Finding] = []
    suppressed: list[Excused] = []
    baseline: str = ""
    judged: int | None = None
    warnings: list[str] = []

    def states(self) -> Iterator[tuple[State, Finding]]:
        """Every finding with whether it counts; those that count come first."""
        yield from (("new", found) for found in self.findings)
        yield from (("known", found) for found in self.known)
        yield from (("suppressed", one.finding) for one in self.suppressed)

    def to_json(self) -> bytes:
        """Indented UTF-8 JSON; keys in a fixed order."""
        return as_json(self)

    def at_least(self, severity: Severity) -> list[Finding]:
        """Findings of that severity or worse."""
        least = SEVERITIES.index(severity)
        return [f for f in self.findings if SEVERITIES.index(f.severity) >= least]


def load_findings(path: str | Path) -> AuditResults:
    """Read a findings document again.

    Raises:
        UsageError: there is no such file, or it is no findings document of this version.
    """
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=AuditResults)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no findings document of darnel audit: {str(error)[:120]}") from None
    if found.schema_version != SCHEMA_VERSION:
        raise UsageError(f"{path} is of version {found.schema_version}; audit again with this darnel")
    return found
