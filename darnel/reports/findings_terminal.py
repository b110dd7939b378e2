"""Findings on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from darnel.audit.results import AuditResults
from darnel.reports import findings_wording as wording
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from rich.console import Console

STYLE = {0: "green", 1: "bold red", 2: "bold yellow"}
LEVEL = {"high": "bold red", "medium": "yellow", "low": "dim"}
MOST = 40
"""Findings shown; the files of ``-o`` and ``--json`` have all."""


def print_findings(results: AuditResults, console: Console) -> None:
    """Verdict, counts, the worst findings with their evidence, and what was not looked at."""
    console.print(_plain(wording.verdict(results)), style=STYLE[results.exit_code])
    console.print(_plain(wording.counts_line(results)))
    console.print(_plain(wording.share_line(results)), style="dim")
    for found in results.findings[:MOST]:
        head = Text(f"\n{found.severity:6} ", style=LEVEL[found.severity])
        console.print(head.append(visible(f"{found.detector}  {wording.place(found, results)}", 200), style="bold"))
        rank = f" (score {found.score:g}, {found.rank:.3%} of records score as high)"
        console.print(_plain(f"  {found.why}{rank}"))
        for span in found.spans[:2]:
            console.print(_plain(f"  at {span.start}: {span.what}" if span.end else f"  {span.what}"), style="dim")
    if len(results.findings) > MOST:
        console.print(f"\nand {len(results.findings) - MOST:,} more; see -o FILE or --json")
    _list(console, f"Known from {results.baseline}", wording.known_lines(results, 10))
    _list(console, "Suppressed", wording.suppressed_lines(results, 10))
    _list(console, "Warnings", results.warnings, "yellow")
    advice = {f.detector: f.advice for f in results.findings}
    _list(console, "What to do", [f"{name}: {text}" for name, text in sorted(advice.items())])
    _list(console, "Sources", wording.source_lines(results, 10))
    _list(console, "Not read, or not read whole", wording.problem_lines(results, 10))
    _list(console, "Detectors", wording.detector_lines(results))
    blind = [f"{d.name}: {d.blind}" for d in results.detectors if not d.not_run]
    _list(console, "A clean result does not rule out", blind)
    _list(console, "Errors", results.errors, "red")
    console.print(_plain(wording.rate_line(results)), style="dim")


def _list(console: Console, title: str, lines: list[str], style: str = "") -> None:
    if lines:
        console.print(Text(f"\n{title}", style="bold"))
        for line in lines:
            console.print(_plain(f"  {line}"), style=style)


def _plain(text: str) -> Text:
    return Text(visible(text, 1_000))
