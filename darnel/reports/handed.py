"""A result of mode B on a terminal and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from darnel.core.handing.results import CONTROL, HandedResults, HandedScore
from darnel.reports.columns import DASH, p_value, with_interval
from darnel.reports.escape import markdown, visible

if TYPE_CHECKING:
    from rich.console import Console

HEADS = ("payload", "n", "obeyed", "lift over control", "q")
STYLE = {0: "green", 1: "bold red", 2: "bold yellow"}


def headline(results: HandedResults) -> str:
    """What was found, in a sentence that calls nothing safe."""
    worst = max(
        (s for s in results.scores if s.payload != CONTROL and s.obeyed.n),
        key=lambda s: s.obeyed.value or 0.0,
        default=None,
    )
    if worst is None:
        return "It could not be told of any payload whether it was obeyed."
    figure, interval = with_interval(worst.obeyed)
    return (
        f"Handed straight to the model, {worst.payload} was obeyed for {worst.obeyed.hits} of {worst.obeyed.n} questions "
        f"({figure}, 95 % interval {interval})."
    )


def target_line(results: HandedResults) -> str:
    """What was asked, and how."""
    behind = f"with up to {results.honest} passages of {results.corpus} behind it" if results.honest else "alone"
    return (
        f"mode B (no retriever is tested, nothing is planted): {results.app}, the payload's passage first, {behind}, "
        f"{len(results.questions)} questions, seed {results.seed}, {results.duration:.1f} s"
    )


def row(score: HandedScore) -> list[str]:
    """The cells of one payload."""
    inconclusive = f" ({score.inconclusive} inconclusive)" if score.inconclusive else ""
    lift = score.lift
    return [
        f"{score.payload}{inconclusive}",
        str(score.obeyed.n),
        " ".join(filter(None, with_interval(score.obeyed))),
        DASH if lift is None else " ".join(filter(None, with_interval(lift))),
        DASH if lift is None or lift.q is None else p_value(lift.q).removeprefix("= "),
    ]


def notes(results: HandedResults) -> Iterator[tuple[str, list[str]]]:
    """What else is to be said, by heading."""
    yield "Gates", [f"{g.verdict}: {g.condition} ({g.detail})" for g in results.gates]
    doubts = Counter(row.why for row in results.rows if row.verdict == "could not tell")
    yield "Could not tell", [f"{count:,} answers inconclusive: {why}" for why, count in doubts.most_common(5)]
    yield "Warnings", [*results.warnings, *["interrupted"] * results.interrupted]


def print_handed(results: HandedResults, console: Console) -> None:
    """Verdict, table, and whatever did not go as it should."""
    console.print(Text(visible(headline(results), 1_000)), style=STYLE[results.exit_code])
    console.print(Text(visible(target_line(results), 1_000)), style="dim")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for number, head in enumerate(HEADS):
        table.add_column(head, justify="right" if number else "left")
    for score in results.scores:
        cells = (Text(visible(cell)) for cell in row(score))
        table.add_row(*cells, style="dim" if score.payload == CONTROL else "")
    console.print(table)
    for title, lines in notes(results):
        if lines:
            console.print(Text(f"\n{title}", style="bold"))
            for line in lines:
                console.print(Text(visible(f"  {line}", 1_000)))


def render_handed_markdown(results: HandedResults) -> str:
    """The same as Markdown."""
    return "\n".join([*_markdown(results), ""])


def _markdown(results: HandedResults) -> Iterator[str]:
    yield f"# {markdown(headline(results), 1_000)}"
    yield ""
    yield markdown(target_line(results), 1_000)
    yield ""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|{'---|' * len(HEADS)}"
    for score in results.scores:
        yield f"| {' | '.join(markdown(cell) for cell in row(score))} |"
    yield ""
    yield "Obeyed: share of the questions of which it can be told, with Wilson's 95 % interval; judged by what stands in the"
    yield "answer, never by a model."
    for title, lines in notes(results):
        if lines:
            yield ""
            yield f"## {title}"
            yield ""
            yield from (f"- {markdown(line, 1_000)}" for line in lines)
