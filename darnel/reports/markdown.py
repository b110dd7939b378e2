"""The result document as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from darnel.core.results import Results
from darnel.reports import columns, wording
from darnel.reports.escape import markdown
from darnel.reports.fitting import fit


def render_markdown(results: Results) -> str:
    """A page that GitHub and others render, cut to what a step summary takes; corpus and query text in it is inert."""
    return fit(_lines(results))


def _lines(results: Results) -> Iterator[str]:
    yield "# darnel report"
    yield ""
    yield f"**{markdown(wording.verdict(results), 1_000)}**"
    yield ""
    yield markdown(wording.target_line(results), 1_000)
    yield ""
    yield from _table(columns.columns(results), [columns.row(score, results) for score in results.scores])
    yield ""
    yield "Each figure with its 95 % interval (rates: Wilson; lifts: Newcombe; means: bootstrap over questions)."
    for line in (
        wording.power_line(results),
        wording.clean_line(results),
        wording.cost_line(results),
        wording.trust_line(results),
        *wording.transfer_lines(results),
        *wording.dose_lines(results),
    ):
        if line:
            yield markdown(line, 1_000)
    yield ""
    if heads := columns.funnel_columns(results):
        yield "## Share of questions with a plant at each stage"
        yield ""
        yield from _table(heads, [columns.funnel_row(score) for score in results.scores])
        yield ""
    yield from _section("Dropped on the way", wording.dropped_lines(results))
    yield from _quality(results)
    yield from _section("Cleanup", wording.cleanup_lines(results))
    yield from _section("Left over", [f"{x.id} ({x.plant}): {x.reason}" for x in results.leftovers])
    yield from _section("Gates", [f"{g.verdict}: {g.condition} ({g.detail})" for g in results.gates])
    yield from _section("Could not tell", wording.doubts(results))
    yield from _section("Warnings", results.warnings)
    yield from _section("Errors", results.errors)
    yield "## Patterns"
    yield ""
    for pattern in results.patterns:
        yield f"- **{markdown(pattern.label)}**: {markdown(pattern.summary)} {pattern.words:g} words."
        yield f"  Example: {markdown(pattern.example)}"
    yield ""
    when = f"Campaign {results.run.campaign}, {results.run.started} to {results.run.finished}."
    yield markdown(f"{when} {wording.versions_line(results)}.", 1_000)


def _table(heads: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        cells = [f"{markdown(a)} ({b})" if b else markdown(a) for a, b in row]
        yield f"| {' | '.join(cells)} |"


def _quality(results: Results) -> Iterator[str]:
    heads = columns.quality_columns(results)
    if not heads:
        return
    yield "## True answers"
    yield ""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for score in results.scores:
        cells = columns.quality_row(score, results)
        if len(cells) == len(heads):
            yield f"| {' | '.join(markdown(cell) for cell in cells)} |"
    yield ""
    yield "Before → after planting, over judged questions; p: paired t; q: exact McNemar, corrected over the patterns."
    yield ""


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"## {title}"
        yield ""
        yield from (f"- {markdown(line, 1_000)}" for line in lines)
        yield ""
