"""SARIF 2.1.0: a finding for each failed gate, each exposed pattern and each leftover, for code scanning.

A finding points at the line of the query file whose question was exposed. What could not be told is a finding of the kind
``open``, never a missing one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from darnel.core.results import GateResult, Results, Score
from darnel.reports import columns, wording
from darnel.reports.escape import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://github.com/darnel-dev/darnel"
MOST = 1_000
"""Characters of one message."""
MOST_PLACES = 100
"""Questions that one finding points at; its message counts all of them."""

RULES = {
    "gate": ("GateFailed", "A condition of --fail-on or --baseline holds, or cannot be told."),
    "exposure": ("PatternExposed", "A planted document was among the first k sources of at least one question."),
    "inconclusive": ("Inconclusive", "Whether plants of a pattern were retrieved could not be told of every question."),
    "leftover": ("PlantLeftOver", "A planted document may still be in the corpus."),
}
_NUMBERS = list(RULES)

Finding = dict[str, Any]


def render_sarif(results: Results) -> str:
    """The document as indented JSON."""
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(results)]}
    return json.dumps(document, indent=2) + "\n"


def _run(results: Results) -> Finding:
    rules = [
        {"id": f"darnel/{key}", "name": name, "shortDescription": {"text": text}, "helpUri": HOME}
        for key, (name, text) in RULES.items()
    ]
    return {
        "tool": {"driver": {"name": "darnel", "version": results.run.darnel, "informationUri": HOME, "rules": rules}},
        "automationDetails": {"id": f"darnel/{quote(results.target.backend)}/{results.run.campaign}"},
        "invocations": [
            {
                "executionSuccessful": results.exit_code in (0, 1),
                "exitCode": results.exit_code,
                "startTimeUtc": _utc(results.run.started),
                "endTimeUtc": _utc(results.run.finished),
                "toolExecutionNotifications": [
                    {"level": level, "message": _message(text)}
                    for level, texts in (("error", results.errors), ("warning", results.warnings))
                    for text in texts
                ],
            }
        ],
        "properties": {
            **{key: visible(value, MOST) for key, value in wording.facts(results)},
            "scores": [visible(columns.figures(score, results), MOST) for score in results.scores],
        },
        "results": list(_findings(results)),
    }


def _utc(time: str) -> str:
    return time.replace("+00:00", "Z")


def _findings(results: Results) -> Iterator[Finding]:
    for gate in results.gates:
        if gate.verdict != "passed":
            yield _gate(gate, results)
    for score in results.scores:
        rate = score.exposure[str(results.target.k)]
        if rate.hits and not score.control:
            text = (
                f"{score.pattern}: {rate.hits} of {rate.n} questions brought a planted document among the first "
                f"{results.target.k} ({columns.figure(rate.value)}, 95 % interval {columns.interval(rate)})."
            )
            yield _finding("exposure", score.pattern, "warning", text, _exposed_at(results, [score.pattern]))
        if score.inconclusive or not score.queries:
            yield _inconclusive(score, results)
    for left in results.leftovers:
        text = f"{left.id} ({left.plant}) may be left in the corpus: {left.reason} Run: darnel sweep"
        yield _finding("leftover", left.id, "error", text, [])


def _gate(gate: GateResult, results: Results) -> Finding:
    text = f"{gate.condition}: {gate.verdict} ({gate.detail})."
    level = "none" if gate.verdict == "unclear" else "error"
    broken = [*gate.patterns, *(one.pattern for one in gate.suppressed)]
    found = _finding("gate", gate.condition, level, text, _exposed_at(results, broken))
    if gate.verdict == "suppressed":
        found["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": visible(f"{one.pattern}: {one.reason} (until {one.until})", MOST),
            }
            for one in gate.suppressed
        ]
    return found


def _inconclusive(score: Score, results: Results) -> Finding:
    text = f"{score.pattern}: {score.inconclusive} of {score.queries} questions inconclusive; this is no pass."
    places = _places(results, {r.query for r in results.observations if _is_doubt(r.pattern, r.outcome, score)})
    return _finding("inconclusive", score.pattern, "none", text, places)


def _is_doubt(pattern: str, outcome: str, score: Score) -> bool:
    return pattern == score.pattern and outcome == "inconclusive"


def _finding(rule: str, key: str, level: str, text: str, places: list[Finding]) -> Finding:
    found: Finding = {
        "ruleId": f"darnel/{rule}",
        "ruleIndex": _NUMBERS.index(rule),
        "kind": "open" if level == "none" else "fail",
        "level": level,
        "message": _message(text),
        "partialFingerprints": {"darnel/v1": visible(f"{rule}:{key}", MOST)},
    }
    if places:
        found["locations"] = places[:1]
    if places[1:]:
        found["relatedLocations"] = [{"id": n, **place} for n, place in enumerate(places[1:MOST_PLACES], 1)]
    return found


def _message(text: str) -> dict[str, str]:
    """A message that shows the text: what reads as a link in SARIF's plain text is taken apart."""
    return {"text": visible(text, MOST).replace("](", "] (")}


def _exposed_at(results: Results, patterns: list[str]) -> list[Finding]:
    k = results.target.k
    rows = [r for r in results.observations if r.pattern in patterns and r.rank is not None and r.rank <= k]
    return _places(results, {row.query for row in rows})


def _places(results: Results, asked: set[str]) -> list[Finding]:
    """Where these questions stand in their file, in its order; of those that were given otherwise there is no place."""
    found = []
    for query in results.queries:
        where = re.fullmatch(r"(.+):(\d+)", query.where, re.DOTALL)
        if query.id in asked and where:
            file, line = where[1].replace("\\", "/"), int(where[2])
            uri = quote(f"file://{file}" if file.startswith("/") else file, safe="/:" if file.startswith("/") else "/")
            found.append(
                {
                    "physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}},
                    "message": _message(query.text),
                }
            )
    return found
