"""Findings as SARIF 2.1.0, which code hosts show beside the files."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from darnel.audit.model import Finding
from darnel.audit.results import AuditResults
from darnel.reports.escape import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVEL = {"high": "error", "medium": "warning", "low": "note"}


def render_findings_sarif(results: AuditResults) -> str:
    """One run; a finding of a folder points into its file, any other at its source with the record's id."""
    return json.dumps(sarif(results), indent=2) + "\n"


def sarif(results: AuditResults) -> dict[str, Any]:
    """The document as plain data."""
    numbers = {d.name: i for i, d in enumerate(results.detectors)}
    driver = {
        "name": "darnel",
        "version": results.run.darnel,
        "informationUri": "https://github.com/darnel-dev/darnel",
        "rules": [
            {
                "id": d.name,
                "shortDescription": {"text": d.summary},
                "fullDescription": {"text": f"{d.summary} A clean result does not rule out: {d.blind}"},
            }
            for d in results.detectors
        ],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not results.interrupted and not results.errors,
                "exitCode": results.exit_code,
                "toolExecutionNotifications": _notifications(results),
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": _results(results, numbers, {s.name: s.kind for s in results.sources}),
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(results: AuditResults, numbers: dict[str, int], kinds: dict[str, str]) -> list[dict[str, Any]]:
    """Those that count, those of the baseline, and those suppressed, each by SARIF's own words for it."""
    compared = bool(results.baseline)
    found = [_result(f, numbers, kinds, {"baselineState": "new"} if compared else {}) for f in results.findings]
    found += [_result(f, numbers, kinds, {"baselineState": "unchanged"}) for f in results.known]
    for one in results.suppressed:
        why = f"{visible(one.reason, 400)} (until {one.until})"
        accepted = [{"kind": "external", "status": "accepted", "justification": why}]
        found.append(_result(one.finding, numbers, kinds, {"suppressions": accepted}))
    return found


def _result(found: Finding, numbers: dict[str, int], kinds: dict[str, str], more: dict[str, Any]) -> dict[str, Any]:
    evidence = "; ".join(visible(s.what, 160) for s in found.spans[:3])
    text = f"{visible(found.why, 400)} {found.advice}" + (f" Evidence: {evidence}" if evidence else "")
    return {
        "ruleId": found.detector,
        "ruleIndex": numbers[found.detector],
        "level": LEVEL[found.severity],
        "rank": round(100 * (1 - min(1.0, found.rank)), 4),
        "message": {"text": text},
        "locations": [_location(found, kinds.get(found.source, ""))],
        "partialFingerprints": {"darnelFinding/v1": found.fingerprint},
        **more,
    }


def _location(found: Finding, kind: str) -> dict[str, Any]:
    name = PurePath(found.source)
    if kind == "folder" and name.name != found.record:
        name = name / found.record
    physical: dict[str, Any] = {
        "artifactLocation": {"uri": quote(name.as_posix().encode("utf-8", "replace"), safe="/")}
    }
    if kind == "folder" and found.line:
        physical["region"] = {"startLine": found.line}
    logical = {"name": visible(found.record, 200), "kind": "record"}
    return {"physicalLocation": physical, "logicalLocations": [logical]}


def _notifications(results: AuditResults) -> list[dict[str, Any]]:
    told = [("error", error) for error in results.errors]
    for source in results.sources:
        told += [
            ("warning" if p.kind == "unreadable" else "note", f"{p.kind}: {p.where}: {p.what}") for p in source.problems
        ]
    told += [("note", f"{d.name}: not run, {d.not_run}") for d in results.detectors if d.not_run]
    return [{"level": level, "message": {"text": visible(text, 400)}} for level, text in told]
