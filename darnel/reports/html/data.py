"""What the page's script draws from: the results again, packed, as JSON that cannot leave its place in the page."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from darnel.core.results import FUNNEL, Observation, QueryInfo, Results, Score
from darnel.core.stats import Mean, Rate
from darnel.reports.doses import dose_curves
from darnel.reports.escape import visible

LABEL = 60
"""Characters of a pattern's name in a chart."""
APP_STAGES = FUNNEL[3:]

Packed = dict[str, Any]


class Strings:
    """Texts by number, each held once."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {}

    def number(self, text: str | None) -> int:
        """The number of a text; the same for the same text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def all(self) -> list[str | None]:
        """Every text as it is shown, by number."""
        return [None if text is None else visible(text) for text in self._numbers]


def embed(results: Results, room: int) -> tuple[str, int]:
    """The data as JSON, safe inside a script element, in ``room`` bytes; and of how many questions it holds cells."""
    count = len(results.queries)
    while True:
        text = _inert(_pack(results, results.queries[:count]))
        if len(text) <= room or count <= 1:
            return text, count
        count = max(1, min(count - 1, int(count * room / len(text) * 0.95)))


def _inert(data: Packed) -> str:
    """JSON of ASCII alone, in which no character can end a script element or start markup."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _pack(results: Results, queries: Sequence[QueryInfo]) -> Packed:
    strings = Strings()
    controls = {score.pattern for score in results.scores if score.control}
    return {
        "k": results.target.k,
        "depth": results.target.depth,
        "together": results.target.isolation == "together",
        "curves": [_curve(score) for score in results.scores],
        "doses": _doses(results),
        "funnel": _funnels(results, controls),
        "kept": [_kept(score) for score in results.scores],
        "patterns": [{"label": visible(s.pattern, LABEL), "control": s.control} for s in results.scores],
        "queries": [_query(query, strings) for query in queries],
        "cells": _cells(results, queries, strings),
        "returned": _returned(results, queries, strings),
        "strings": strings.all(),
    }


def _rate(item: Rate | Mean | None) -> list[float | int | None]:
    return [None, None, None, 0] if item is None else [_short(item.value), _short(item.low), _short(item.high), item.n]


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _curve(score: Score) -> Packed:
    ks = sorted(int(k) for k in score.exposure)
    points = [[k, *_rate(score.exposure[str(k)])] for k in ks]
    return {"label": visible(score.pattern, LABEL), "control": score.control, "points": points}


def _doses(results: Results) -> list[Packed]:
    """Patterns that were run at several doses."""
    k = str(results.target.k)
    return [
        {
            "name": visible(curve.name, LABEL),
            "axis": curve.axis,
            "unit": visible(curve.unit, LABEL),
            "points": [[dose, _rate(score.exposure[k]), _rate(score.exposure["1"])] for dose, score in curve.points],
        }
        for curve in dose_curves(results)
    ]


def _kept(score: Score) -> Packed:
    return {
        "label": visible(score.pattern, LABEL),
        "control": score.control,
        "kept": _rate(score.retention),
        "displaced": _rate(score.displacement),
    }


def _funnels(results: Results, controls: set[str]) -> list[Packed]:
    """How many plants came how far: of all patterns without the controls, then of each."""
    rows: dict[str, list[Observation]] = defaultdict(list)
    for row in results.observations:
        rows[row.pattern].append(row)
    everything = [row for label, some in rows.items() if label not in controls for row in some]
    app = [stage for stage in APP_STAGES if any(stage in score.funnel for score in results.scores)]
    named = [("all patterns, controls left out", everything), *rows.items()]
    return [_funnel(name, some, app, results) for name, some in named if some]


def _funnel(name: str, rows: Sequence[Observation], app: Sequence[str], results: Results) -> Packed:
    reached = [FUNNEL.index(row.stage) if row.stage != "planned" else -1 for row in rows]
    stages = [(stage, sum(1 for r in reached if r >= FUNNEL.index(stage))) for stage in ("planted", "visible")]
    stages.append((f"retrieved (first {results.target.depth})", sum(1 for r in reached if r >= 2)))
    within = sum(1 for row in rows if row.rank is not None and row.rank <= results.target.k)
    stages.append((f"in the first {results.target.k}", within))
    stages += [(stage, sum(1 for r in reached if r >= FUNNEL.index(stage))) for stage in app]
    return {
        "name": visible(name, LABEL),
        "total": len(rows),
        "stages": stages,
        "doubts": sum(1 for row in rows if row.outcome == "inconclusive"),
    }


def _query(query: QueryInfo, strings: Strings) -> list[Any]:
    baseline = [strings.number(id_) for id_ in query.baseline]
    relevant = [strings.number(id_) for id_ in query.relevant]
    return [strings.number(query.id), strings.number(query.text), baseline, relevant, query.judged]


def _cells(results: Results, queries: Sequence[QueryInfo], strings: Strings) -> list[list[Any]]:
    """By pattern, then by question: 0, or best rank, doubtful plants, plants, what is known of each, why in doubt."""
    number = {query.id: n for n, query in enumerate(queries)}
    line = {score.pattern: n for n, score in enumerate(results.scores)}
    cells: list[list[Any]] = [[0] * len(queries) for _ in results.scores]
    for row in results.observations:
        if row.pattern not in line or row.query not in number:
            continue
        column = cells[line[row.pattern]]
        cell = column[number[row.query]] or [0, 0, 0, [], 0]
        column[number[row.query]] = cell
        cell[2] += 1
        if row.rank is not None:
            cell[0] = min(cell[0] or row.rank, row.rank)
            cell[3].append([row.rank, row.position, *map(strings.number, (row.proof, row.stage, row.dropped_by))])
        if row.outcome == "inconclusive":
            cell[1] += 1
            cell[4] = strings.number(row.detail)
    return cells


def _returned(results: Results, queries: Sequence[QueryInfo], strings: Strings) -> dict[str, list[int]]:
    number = {query.id: n for n, query in enumerate(queries)}
    line = {score.pattern: n for n, score in enumerate(results.scores)}
    return {
        f"{line[item.pattern]},{number[item.query]}": [-1 if id_ is None else strings.number(id_) for id_ in item.ids]
        for item in results.returned
        if item.pattern in line and item.query in number
    }
