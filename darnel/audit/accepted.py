"""Findings that do not count: those an earlier audit had too, and those that somebody accepts for a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase

import msgspec

from darnel.audit.model import SEVERITIES, Finding
from darnel.audit.results import AuditResults, Excused
from darnel.core.suppressions import ended


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Findings of a ``detector`` (None: of any) in records whose id is like ``record`` (a shell pattern; None: in any), to
    the end of the day ``until`` (UTC)."""

    reason: str
    until: date
    detector: str | None = None
    record: str | None = None

    def excuses(self, found: Finding) -> bool:
        """Whether it is of this finding."""
        named = self.record is None or self.record == found.record or fnmatchcase(found.record, self.record)
        return named and self.detector in (None, found.detector)

    def __str__(self) -> str:
        return " ".join(
            ["findings", f"of {self.detector}" * bool(self.detector), f"in {self.record}" * bool(self.record)]
        )


@dataclass(frozen=True, slots=True)
class Baseline:
    """The findings of an earlier audit, and the ``name`` of the document."""

    name: str
    findings: Sequence[Finding] = ()


def accepting(
    results: AuditResults, baseline: Baseline | None, acceptances: Sequence[Acceptance], today: date
) -> AuditResults:
    """The results with what is suppressed and what is known set apart, so that only the rest counts.

    A finding is known where the baseline has the same evidence of the same detector in a record of the same id, at this
    severity or a worse one, and as often.
    """
    warnings = list(results.warnings)
    for one in acceptances:
        if one.until < today:
            warnings.append(f"{ended(str(one), one.until, one.reason)}, so they count; mend them, or give a later date")
    held = [one for one in acceptances if one.until >= today]
    rest, suppressed, used = [], list(results.suppressed), set()
    for found in results.findings:
        excuse = next((n for n, one in enumerate(held) if one.excuses(found)), None)
        if excuse is None:
            rest.append(found)
        else:
            used.add(excuse)
            suppressed.append(Excused(found, held[excuse].reason, held[excuse].until.isoformat()))
    warnings += [
        f"nothing is found that the suppression of {one} is for; take it out"
        for n, one in enumerate(held)
        if n not in used
    ]
    new, known = _split(rest, baseline.findings) if baseline else (rest, [])
    return msgspec.structs.replace(
        results,
        findings=new,
        known=[*results.known, *known],
        suppressed=suppressed,
        baseline=baseline.name if baseline else results.baseline,
        warnings=warnings,
        flagged=len({(f.source, f.record) for f in new}),
    )


def _split(findings: Sequence[Finding], before: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    worst_first = sorted(before, key=lambda f: -SEVERITIES.index(f.severity))
    left = Counter((f.fingerprint, severity) for f in worst_first for severity in _up_to(f))
    new: list[Finding] = []
    known: list[Finding] = []
    for found in findings:
        key = (found.fingerprint, found.severity)
        (known if left[key] > 0 else new).append(found)
        left[key] -= 1
    return new, known


def _up_to(found: Finding) -> Sequence[str]:
    return SEVERITIES[: SEVERITIES.index(found.severity) + 1]
