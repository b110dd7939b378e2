"""What a notebook shows of a result: the verdict, the table and the cleanup proof, in a fragment that runs nothing."""

from __future__ import annotations

from darnel.core.results import Results
from darnel.reports import columns, wording
from darnel.reports.html import STATUS
from darnel.reports.html.shell import environment


def render_notebook(results: Results) -> str:
    """A fragment of HTML without style of its own, so that it looks like the notebook around it, in light and dark."""
    page: str = (
        environment()
        .get_template("fragment.html.j2")
        .render(
            results=results,
            wording=wording,
            status=STATUS.get(results.exit_code, ""),
            heads=columns.columns(results),
            rows=[columns.row(score, results) for score in results.scores],
            trouble=[*wording.leftover_lines(results), *wording.doubts(results), *results.warnings, *results.errors],
        )
    )
    return page
