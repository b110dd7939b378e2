"""The HTML report: one file that needs nothing else, and lets nothing in it run but its own two scripts.

Charts are drawn in the page by Observable Plot (a bundle beside this file): SVG, so that they take the page's colours in
light and dark, print sharp and are read by screen readers. Its own code is in ``page.js``; every figure stands in a table
that needs no script.
"""

from __future__ import annotations

from typing import Any

from darnel.core.results import Results
from darnel.reports import columns, wording
from darnel.reports.html.shell import environment, policy, put_in

LARGEST = 1_990_000
"""Bytes of a page."""
STATUS = {1: "gate failed", 2: "could not tell", 3: "left behind"}
PARTS = {"plot": "vendor/plot.js", "script": "page.js", "style": "page.css", "plot_style": "vendor/plot.css"}
"""Name in the template → file beside this one."""


def render_html(results: Results) -> str:
    """The page. Text of a corpus or a query in it is shown, hidden characters as escapes, and does nothing."""
    from markupsafe import Markup

    from darnel.reports.html.data import embed
    from darnel.reports.html.repeat import command_line

    parts: dict[str, Any] = put_in(PARTS)
    parts |= {
        "results": results,
        "wording": wording,
        "status": STATUS.get(results.exit_code) or _gates_status(results),
        "heads": columns.columns(results),
        "rows": [columns.row(score, results) for score in results.scores],
        "funnel_heads": columns.funnel_columns(results),
        "funnel_rows": [columns.funnel_row(score) for score in results.scores],
        "quality_heads": columns.quality_columns(results),
        "quality_rows": _quality_rows(results),
        "command": command_line(results),
        "policy": policy(PARTS),
    }
    template = environment().get_template("page.html.j2")
    without = template.render(**parts, data="", left_out=0)
    data, shown = embed(results, LARGEST - len(without.encode()))
    page: str = template.render(**parts, data=Markup(data), left_out=len(results.queries) - shown)  # noqa: S704 (escaped)
    return page


def _gates_status(results: Results) -> str:
    if any(gate.verdict == "suppressed" for gate in results.gates):
        return "gates passed or suppressed"
    return "gates passed" if results.gates else "no gate set"


def _quality_rows(results: Results) -> list[list[tuple[str, str]]]:
    """The table of true answers with what stands in brackets below its figure; a pattern without figures has dashes."""
    heads = columns.quality_columns(results)
    lines = [columns.quality_row(score, results) for score in results.scores]
    padded = [line if len(line) == len(heads) else [line[0]] + [columns.DASH] * (len(heads) - 1) for line in lines]
    return [[_two_lines(cell) if number else (cell, "") for number, cell in enumerate(line)] for line in padded]


def _two_lines(cell: str) -> tuple[str, str]:
    """``0.81 → 0.75 (-0.06, ...)`` and ``0.55 0.45–0.65`` as the figure and what belongs below it."""
    figure, bracket, rest = cell.partition(" (")
    if bracket:
        return figure, rest.removesuffix(")")
    first, _, second = cell.partition(" ")
    return (first, second) if "–" in second and "→" not in cell else (cell, "")
