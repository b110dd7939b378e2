"""Findings as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator

from darnel.audit.results import AuditResults
from darnel.reports import findings_wording as wording
from darnel.reports.escape import markdown

MOST = 1_000
"""Findings listed; the JSON document has all."""


def render_findings(results: AuditResults) -> str:
    """A page that GitHub and others render; corpus text in it is inert."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: AuditResults) -> Iterator[str]:
    yield "# darnel audit"
    yield ""
    yield f"**{markdown(wording.verdict(results), 1_000)}**"
    yield ""
    for line in (wording.counts_line(results), wording.share_line(results), wording.rate_line(results)):
        yield f"- {markdown(line, 1_000)}"
    yield ""
    if results.findings:
        yield "| severity | detector | record | why | evidence |"
        yield "|---|---|---|---|---|"
        for found in results.findings[:MOST]:
            evidence = "; ".join(markdown(s.what, 160) for s in found.spans[:3])
            cells = (
                found.severity,
                markdown(found.detector, 80),
                markdown(wording.place(found, results), 120),
                markdown(found.why, 400),
                evidence,
            )
            yield f"| {' | '.join(cells)} |"
        yield ""
    if len(results.findings) > MOST:
        yield f"And {len(results.findings) - MOST:,} more in the JSON document."
        yield ""
    yield from _section(f"Known from {markdown(results.baseline, 200)}", wording.known_lines(results, MOST))
    yield from _section("Suppressed", wording.suppressed_lines(results, MOST))
    yield from _section("Warnings", results.warnings)
    advice = {f.detector: f.advice for f in results.findings}
    yield from _section("What to do", [f"{name}: {text}" for name, text in sorted(advice.items())])
    yield from _section("Sources", wording.source_lines(results))
    yield from _section("Not read, or not read whole", wording.problem_lines(results, 100))
    yield from _section("Detectors", wording.detector_lines(results))
    blind = [f"{d.name}: {d.blind}" for d in results.detectors if not d.not_run]
    yield from _section("A clean result does not rule out", blind)
    yield from _section("Errors", results.errors)


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"## {title}"
        yield ""
        yield from (f"- {markdown(line, 1_000)}" for line in lines)
        yield ""
