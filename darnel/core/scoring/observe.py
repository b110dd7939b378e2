"""From answers to observations: what became of each plant, with "could not tell" as an outcome of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from darnel.core.asking.funnel import APP_STAGES
from darnel.core.asking.ranking import Listing, place
from darnel.core.asking.waves import Answer
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.queries import Query
from darnel.core.results import Observation, Stage


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """One query under one dose, ready to be scored. ``best``: rank of its best plant, None where none was retrieved.

    ``doubt_from``: the first place where a plant may stand of which it cannot be told; infinity where there is none.
    ``index_lost``: the doubt is the index's alone. ``in_top_k``: its plants among the first k, None where in doubt.
    ``after``: the owner's records among the first k. ``ranked``: ids of the
    list as far as it was read, plants among them; ``plants``: how many were made for it; ``spilled``: whether a plant made
    for another query stood among the first k. ``stages``: whether any of its plants came to each stage of the
    funnel, None where that cannot be told. ``transfer``: whether a plant of its own stood among the first k for one of its
    paraphrases, None where that cannot be told or none was asked. ``trust``: mean trust of the first k sources before and
    after, None where the sources carry none.
    """

    label: str
    query: Query
    doubt_from: float
    index_lost: bool
    best: int | None
    in_top_k: int | None
    after: tuple[str | None, ...]
    ranked: tuple[str | None, ...] = ()
    plants: int = 1
    spilled: bool | None = None
    stages: Mapping[str, bool | None] = field(default_factory=dict)
    transfer: bool | None = None
    trust: tuple[float, float] | None = None

    def known_at(self, k: int) -> bool:
        """Whether it can be said if a plant was among the first ``k``.

        One that was is a fact, whatever became of its siblings; that none was takes all of them.
        """
        return self.sure_to(k) or (self.best is not None and self.best <= k)

    def best_known(self, depth: int) -> bool:
        """Whether no doubtful plant can be the best one, among the first ``depth``."""
        return self.sure_to(depth) or (self.best is not None and self.best <= self.doubt_from)

    def sure_to(self, k: int) -> bool:
        """Whether every plant's part in the first ``k`` is known."""
        return self.doubt_from > k


def observe(answer: Answer, options: RunOptions) -> tuple[list[Observation], QueryOutcome]:
    """The observations of one answer, one a plant, and the query's outcome."""
    rows = [_observe_plant(answer, plant, options) for plant in answer.plants]
    # an application that searches several times may show a plant its model deeper than any k that is measured
    ranks = [row.rank for row in rows if row.rank is not None and row.rank <= options.depth]
    doubtful = [p for p, row in zip(answer.plants, rows, strict=True) if row.outcome == "inconclusive"]
    doubt_from = min((_doubt_from(answer, p) for p in doubtful), default=float("inf") if rows else 1)
    listing = answer.listing
    outcome = QueryOutcome(
        label=answer.label,
        query=answer.query,
        doubt_from=doubt_from,
        index_lost=bool(doubtful) and all(p.id in answer.unreachable for p in doubtful),
        best=min(ranks, default=None),
        in_top_k=sum(1 for rank in ranks if rank <= options.k) if doubt_from > options.k else None,
        after=tuple(listing.own_ids(options.k)) if listing else (),
        ranked=tuple(listing.ids(options.depth)) if listing else (),
        plants=len(answer.plants),
        spilled=None if listing is None or listing.error else (listing.spilled or math.inf) <= options.k,
        stages=_stages(answer, rows, bool(doubtful) or not rows),
    )
    return rows, outcome


def transfers(answers: Sequence[Answer], options: RunOptions) -> dict[tuple[str, str], bool | None]:
    """By label and query id, whether a plant stood among the first k for one of the query's paraphrases.

    One that did is a fact; that none did takes that it is known of every paraphrase.
    """
    found: dict[tuple[str, str], bool | None] = {}
    for answer in answers:
        _, outcome = observe(answer, options)
        came = None if not outcome.known_at(options.k) else outcome.best is not None and outcome.best <= options.k
        key = (answer.label, answer.query.id)
        before = found.get(key, False)
        found[key] = True if came or before else None if came is None or before is None else False
    return found


def _stages(answer: Answer, rows: Sequence[Observation], in_doubt: bool) -> dict[str, bool | None]:
    """What reached a stage is a fact; that nothing did takes that every plant's part is known."""
    planting, listing = answer.planting, answer.listing
    ids = {p.id for p in answer.plants}
    retrieved = any(row.outcome == "retrieved" for row in rows)
    stages: dict[str, bool | None] = {
        "planted": planting is not None,
        "visible": planting is not None and bool(planting.visible & ids),
        "retrieved": retrieved or (None if in_doubt else False),
    }
    seen_whole = _seen_whole(answer)  # an answer that is there says what is not in it, even where no sources are shown
    for stage in APP_STAGES:
        came = listing.reached.at(stage) if listing is not None else None
        stages[stage] = None if came is None else bool(came & ids) or (None if in_doubt and not seen_whole else False)
    return stages


def _seen_whole(answer: Answer) -> bool:
    """Whether all of a query's plants were there to be retrieved, and what came of it was seen."""
    planting, listing = answer.planting, answer.listing
    if planting is None or listing is None or not answer.plants:
        return False
    return listing.error is None and listing.complete and all(p.id in planting.visible for p in answer.plants)


def _observe_plant(answer: Answer, plant: Plant, options: RunOptions) -> Observation:
    label, query = answer.label, answer.query.id
    problem = _problem(answer, plant)
    visible = answer.planting is not None and plant.id in answer.planting.visible
    if answer.listing is not None and (placed := place(answer.listing, plant)):
        reached = answer.listing.reached
        if placed.rank <= options.depth or reached.furthest(plant.id):
            return Observation(
                pattern=label,
                query=query,
                plant=plant.name,
                marker=plant.marker,
                outcome="retrieved",
                stage=cast(Stage, reached.furthest(plant.id) or "retrieved"),
                rank=placed.rank,
                position=placed.position,
                proof=placed.proof,
                dropped_by=reached.dropped.get(plant.id),
            )
        problem = None  # seen, only too deep to count
    stage: Stage = "visible" if visible else "planned" if answer.planting is None else "planted"
    if problem:
        return Observation(label, query, plant.name, plant.marker, "inconclusive", stage, detail=problem)
    return Observation(label, query, plant.name, plant.marker, "not retrieved", stage)


def _problem(answer: Answer, plant: Plant) -> str | None:
    """Why a plant that is not in the list cannot be called "not retrieved", if so."""
    if answer.problem or answer.planting is None or answer.listing is None:
        return answer.problem or "not asked"
    if plant.id not in answer.planting.visible:
        why = f" ({answer.planting.error})" if answer.planting.error else ""
        return f"not visible: not read back within {answer.planting.delay:.1f} s{why}"
    if plant.id in answer.unreachable:
        return answer.unreachable[plant.id].why
    return _listing_problem(answer.listing)


def _doubt_from(answer: Answer, plant: Plant) -> int:
    """The best place an inconclusive plant may have had."""
    lost = answer.unreachable.get(plant.id)
    return lost.rank if lost else 1


def _listing_problem(listing: Listing) -> str | None:
    if listing.error:
        return f"asking failed: {listing.error}"
    if not listing.complete:
        return f"crowded out: {listing.dropped} other plants stood in the list; use --isolation query"
    if not listing.entries and not listing.searched:
        answered = listing.reached.in_answer is not None
        return "the application shows no sources, only its answers" if answered else "nothing was returned at all"
    return None
