"""The observations as flat rows, and the two formats made of nothing else: JSON Lines and CSV.

Every row says what was tested and how, so that rows of several runs can stand in one table.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from darnel.core.results import Results
from darnel.reports.escape import json_visible, visible

MOST_IN_CELL = 32_000
"""Characters of one CSV cell; a spreadsheet takes 32,767."""
_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Row = dict[str, str | int | float | None]


def observation_rows(results: Results) -> Iterator[Row]:
    """One row an observation: the run and the target first, then the pattern, the question and what became of the plant."""
    target, texts = results.target, {query.id: query.text for query in results.queries}
    controls = {pattern.label: pattern.control for pattern in results.patterns}
    for seen in results.observations:
        yield {
            "campaign": results.run.campaign,
            "store": target.backend,
            "container": target.container,
            "corpus_size": target.size,
            "embedder": target.embedder,
            "k": target.k,
            "isolation": target.isolation,
            "questions": len(results.queries),
            "pattern": seen.pattern,
            "control": "yes" if controls.get(seen.pattern) else "no",
            "query": seen.query,
            "question": texts.get(seen.query, ""),
            "plant": seen.plant,
            "marker": seen.marker,
            "outcome": seen.outcome,
            "stage": seen.stage,
            "rank": seen.rank,
            "position": seen.position,
            "proof": seen.proof,
            "dropped_by": seen.dropped_by,
            "detail": seen.detail,
        }


def render_jsonl(results: Results) -> str:
    """A JSON object a line."""
    return jsonl(observation_rows(results))


def render_csv(results: Results) -> str:
    """A table with a heading."""
    return table(observation_rows(results), ["campaign", "pattern", "query", "plant", "outcome"])


def jsonl(rows: Iterable[Row]) -> str:
    """A JSON object a row."""
    return "".join(f"{json_visible(json.dumps(row, ensure_ascii=False))}\n" for row in rows)


def table(rows: Iterable[Row], empty: list[str]) -> str:
    """CSV with a heading (``empty``: where there are no rows), as RFC 4180 has it; a spreadsheet finds no formula in it."""
    out = io.StringIO()
    held = list(rows)
    writer = csv.DictWriter(out, list(held[0]) if held else empty)
    writer.writeheader()
    writer.writerows({head: _inert(value) for head, value in row.items()} for row in held)
    return out.getvalue()


def _inert(value: str | float | None) -> str | float:
    """A cell that a spreadsheet shows as it is: what could start a formula gets an apostrophe before it."""
    if not isinstance(value, str):
        return "" if value is None else value
    shown = visible(value, MOST_IN_CELL)
    return f"'{shown}" if value.lstrip(" ").startswith(_STARTS_FORMULA) else shown
