"""The sentences about findings that every format shares."""

from __future__ import annotations

from collections import Counter

from darnel.audit.model import SEVERITIES
from darnel.audit.results import AuditResults, Problem


def verdict(results: AuditResults) -> str:
    """The outcome in one sentence; it never calls a corpus clean."""
    found = f"{len(results.findings):,} findings in {results.flagged:,} of {results.read:,} records"
    if results.interrupted:
        return f"Interrupted, so this is no pass. Until then: {found}."
    if not results.read:
        return "Nothing was read, so nothing was audited."
    if results.errors:
        return f"Not everything could be looked at, so this is no pass. Of what could: {found}."
    failing = len(results.at_least(results.fail_on))
    if failing:
        return f"Failed: {failing:,} findings of severity {results.fail_on} or worse. In all {found}."
    if results.exit_code:
        return f"{results.unreadable:,} records could not be read, so this is no pass. Of the others: {found}."
    return f"{found[:1].upper()}{found[1:]}, none of severity {results.fail_on} or worse."


def counts_line(results: AuditResults) -> str:
    """What was read; printed whatever happened."""
    repaired = sum(s.repaired for s in results.sources)
    line = f"{results.read:,} records read, {results.skipped:,} files skipped, {results.unreadable:,} unreadable"
    return line + (f", {repaired:,} read with something replaced or cut" if repaired else "")


def share_line(results: AuditResults) -> str:
    """How the alarms compare with the budget."""
    by = Counter(f.severity for f in results.findings)
    levels = ", ".join(f"{by[s]:,} {s}" for s in reversed(SEVERITIES))
    share = f"{results.flagged / results.read:.2%} of records flagged" if results.read else "nothing read"
    return f"{levels}; {share} (statistical detectors may raise alarms on {results.alert_budget:.2%} of clean records)"


def rate_line(results: AuditResults) -> str:
    """How long it took."""
    rate = results.read / results.run.cpu_seconds if results.run.cpu_seconds else 0
    return f"{results.run.seconds:.1f} s, {rate:,.0f} records per CPU-second, darnel {results.run.darnel}"


def source_lines(results: AuditResults) -> list[str]:
    """A line a source, with the proof that reading changed nothing where one was taken."""
    lines = []
    for s in results.sources:
        line = f"{s.name} ({s.kind}): {s.read:,} read, {s.skipped:,} skipped, {s.unreadable:,} unreadable"
        if s.digest_before is not None:
            same = "before = after" if s.digest_before == s.digest_after else "DIFFERS or was not taken again"
            line += f"; corpus digest: {same} ({s.digest_before[:16]})"
        lines.append(line)
    return lines


def problem_lines(results: AuditResults, most: int) -> list[str]:
    """What was not read or not read whole: each unreadable record first, files skipped counted by their reason."""
    lines = [f"{p.kind}: {p.where}: {p.what}" for p in _problems(results) if p.kind != "skipped"]
    more = len(lines) - most
    lines = lines[:most] + ([f"and {more:,} more"] if more > 0 else [])
    skipped = Counter(p.what for p in _problems(results) if p.kind == "skipped")
    return lines + [f"skipped: {count:,} × {what}" for what, count in sorted(skipped.items())]


def _problems(results: AuditResults) -> list[Problem]:
    order = {"unreadable": 0, "repaired": 1, "skipped": 2}
    return sorted((p for s in results.sources for p in s.problems), key=lambda p: order.get(p.kind, 3))


def detector_lines(results: AuditResults) -> list[str]:
    """What each detector found, or why it did not run."""
    return [
        f"{d.name}: not run, {d.not_run}" if d.not_run else f"{d.name}: {d.findings:,} findings"
        for d in results.detectors
    ]
