"""From query outcomes to scores: each rate with its n and interval, each pattern beside both controls."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from darnel.core.observe import QueryOutcome
from darnel.core.options import RunOptions
from darnel.core.results import FUNNEL, Score
from darnel.core.stats import Difference, Rate, difference, mean, rate

CONTROL, HONEST = "control", "honest"

BaselineLists = Mapping[str, Sequence[str | None]]
"""Query id → record ids returned before planting, best first."""


def score_all(
    outcomes: Mapping[str, Sequence[QueryOutcome]],
    controls: Mapping[str, bool],
    baseline: BaselineLists,
    options: RunOptions,
) -> list[Score]:
    """Scores of every dose (label → its query outcomes), with lifts over the first dose of each control."""
    exposures = {label: _exposure(rows, options) for label, rows in outcomes.items()}
    return [_score(label, rows, controls[label], exposures, baseline, options) for label, rows in outcomes.items()]


def _score(
    label: str,
    rows: Sequence[QueryOutcome],
    control: bool,
    exposures: Mapping[str, Mapping[str, Rate]],
    baseline: BaselineLists,
    options: RunOptions,
) -> Score:
    known = [row for row in rows if row.known_at(options.k)]
    certain = [row for row in rows if row.sure_to(options.k)]
    ranks = [_rank(row) for row in known]
    median = statistics.median(ranks) if ranks else float("inf")
    return Score(
        pattern=label,
        control=control,
        queries=len(rows),
        inconclusive=len(rows) - len(known),
        index_lost=sum(1 for row in rows if row.index_lost and not row.known_at(options.k)),
        exposure=dict(exposures[label]),
        mrr=mean([1 / _rank(row) for row in rows if row.best_known(options.depth)], options.seed),
        slot_share=mean([row.in_top_k / options.k for row in rows if row.in_top_k is not None], options.seed),
        displacement=mean(_displacements(certain, baseline, options.k), options.seed),
        retention=_retention(certain, baseline, options.k),
        median_rank=None if median == float("inf") else float(median),
        lift_over_control=_lift(label, CONTROL, exposures),
        lift_over_honest=_lift(label, HONEST, exposures),
        funnel=_funnel(rows),
    )


def _funnel(rows: Sequence[QueryOutcome]) -> dict[str, Rate]:
    known = {stage: [came for row in rows if (came := row.stages.get(stage)) is not None] for stage in FUNNEL}
    return {stage: rate(sum(came), len(came)) for stage, came in known.items() if came}


def _exposure(rows: Sequence[QueryOutcome], options: RunOptions) -> dict[str, Rate]:
    return {str(k): _exposure_at(k, [row for row in rows if row.known_at(k)]) for k in options.ks}


def _exposure_at(k: int, known: Sequence[QueryOutcome]) -> Rate:
    return rate(sum(1 for row in known if _rank(row) <= k), len(known))


def _rank(row: QueryOutcome) -> float:
    return float("inf") if row.best is None else row.best


def control_label(control: str, labels: Iterable[str]) -> str | None:
    """The label of the first dose of a control."""
    return next((label for label in labels if label.partition(":")[0] == control), None)


def _lift(label: str, control: str, exposures: Mapping[str, Mapping[str, Rate]]) -> dict[str, Difference]:
    against = control_label(control, exposures)
    if against is None or label.partition(":")[0] in (control, CONTROL):
        return {}  # a control has no lift over itself, and the bare carrier none over honest text
    return {k: difference(own, exposures[against][k]) for k, own in exposures[label].items()}


def _displacements(rows: Sequence[QueryOutcome], baseline: BaselineLists, k: int) -> list[float]:
    shares = []
    for row in rows:
        before = set(baseline.get(row.query.id, ())[:k])
        if before:
            shares.append(len(before.difference(row.after)) / len(before))
    return shares


def _retention(rows: Sequence[QueryOutcome], baseline: BaselineLists, k: int) -> Rate:
    kept = total = 0
    for row in rows:
        judged = {id_ for id_, grade in row.query.judged.items() if grade > 0}
        if judged.intersection(baseline.get(row.query.id, ())[:k]):
            total += 1
            kept += bool(judged.intersection(row.after))
    return rate(kept, total)
