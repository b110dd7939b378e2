"""Findings as one page that needs nothing else: a table to search, with the evidence marked in what stands around it.

The table is in the page itself and is read without a script; the script only filters it.
"""

from __future__ import annotations

from darnel.audit.model import SEVERITIES
from darnel.audit.results import AuditResults
from darnel.reports import findings_wording as wording
from darnel.reports.html.shell import environment, policy, put_in

MOST = 1_000
"""Findings shown: the worst. The JSON document has all."""
STATUS = {0: "none that bad", 1: "findings", 2: "not everything looked at"}
PARTS = {"script": "findings.js", "style": "page.css", "findings_style": "findings.css"}


def render_findings_html(results: AuditResults) -> str:
    """The page. Text of the corpus in it is shown, hidden characters as escapes, and does nothing."""
    excused = {id(one.finding): one for one in results.suppressed}
    rows = [(state, found, excused.get(id(found))) for state, found in results.states()]
    page: str = (
        environment()
        .get_template("findings.html.j2")
        .render(
            **put_in(PARTS),
            policy=policy(PARTS),
            results=results,
            wording=wording,
            status=STATUS[results.exit_code],
            rows=rows[:MOST],
            left_out=max(0, len(rows) - MOST),
            severities=list(reversed(SEVERITIES)),
            detectors=sorted({found.detector for _, found, _ in rows}),
            states=sorted({state for state, _, _ in rows}),
            advice=sorted({(found.detector, found.advice) for _, found, _ in rows}),
        )
    )
    return page
