"""The sentences about findings that every format shares."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath

from darnel.audit.model import SEVERITIES, Finding
from darnel.audit.results import AuditResults, Problem, State

MOST_SOURCES = 100


def verdict(results: AuditResults) -> str:
    """The outcome in one sentence; it never calls a corpus clean."""
    new = " new" if results.baseline else ""
    found = f"{len(results.findings):,}{new} findings in {results.flagged:,} of {results.read:,} records"
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
    line += "" if results.judged is None else f", {results.judged:,} of them new and judged"
    return line + (f", {repaired:,} read with something replaced or cut" if repaired else "")


def share_line(results: AuditResults) -> str:
    """How the alarms compare with the budget."""
    by = Counter(f.severity for f in results.findings)
    levels = ", ".join(f"{by[s]:,} {s}" for s in reversed(SEVERITIES))
    share = f"{results.flagged / results.read:.2%} of records flagged" if results.read else "nothing read"
    budget = f"statistical detectors may raise alarms on {results.alert_budget:.2%} of clean records"
    apart = apart_line(results)
    return f"{levels}; {share} ({budget})" + (f"; {apart}" if apart else "")


def rate_line(results: AuditResults) -> str:
    """How long it took."""
    rate = results.read / results.run.cpu_seconds if results.run.cpu_seconds else 0
    return f"{results.run.seconds:.1f} s, {rate:,.0f} records per CPU-second, darnel {results.run.darnel}"


def source_lines(results: AuditResults, most: int = MOST_SOURCES) -> list[str]:
    """A line a source, with the proof that reading changed nothing where one was taken."""
    lines = []
    for s in results.sources:
        line = f"{s.name} ({s.kind}): {s.read:,} read, {s.skipped:,} skipped, {s.unreadable:,} unreadable"
        if s.digest_before is not None:
            same = "before = after" if s.digest_before == s.digest_after else "DIFFERS or was not taken again"
            line += f"; corpus digest: {same} ({s.digest_before[:16]})"
        lines.append(line)
    return _first(lines, most)


def problem_lines(results: AuditResults, most: int) -> list[str]:
    """What was not read or not read whole: each unreadable record first, files skipped counted by their reason."""
    lines = [f"{p.kind}: {p.where}: {p.what}" for p in _problems(results) if p.kind != "skipped"]
    lines = _first(lines, most)
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


def apart_line(results: AuditResults) -> str:
    """How many findings are told and do not count; empty where there are none."""
    parts = [f"{len(results.known):,} known from {results.baseline}"] if results.baseline else []
    parts += [f"{len(results.suppressed):,} suppressed"] if results.suppressed else []
    return f"not counted: {', '.join(parts)}" if parts else ""


def finding_line(found: Finding, results: AuditResults, state: State = "new") -> str:
    """A finding in one line."""
    kind = "" if state == "new" else f" ({state})"
    return f"{found.severity}{kind}: {found.detector} in {place(found, results)}: {found.why}"


def place(found: Finding, results: AuditResults) -> str:
    """The record, with its source where there are several, and the line in it where there is one."""
    record = found.record
    if len(results.sources) > 1:
        record = found.source if PurePath(found.source).name == record else f"{found.source}: {record}"
    return f"{record}:{found.line}" if found.line > 1 else record


def known_lines(results: AuditResults, most: int) -> list[str]:
    """The findings that the baseline has too."""
    return _first([finding_line(f, results) for f in results.known], most)


def suppressed_lines(results: AuditResults, most: int) -> list[str]:
    """The findings that are accepted, with the reason and the last day."""
    lines = [f"until {one.until}, {one.reason}: {finding_line(one.finding, results)}" for one in results.suppressed]
    return _first(lines, most)


def _first(lines: list[str], most: int) -> list[str]:
    return lines[:most] + [f"and {len(lines) - most:,} more"] * (len(lines) > most)
