"""One wave: plant, wait until visible, ask, remove, prove."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import Keep, Listing, ask
from darnel.core.asking.reach import Lost, Row, closed_to, find_unreachable
from darnel.core.corpus import CaptureProof, CorpusDescription, Target
from darnel.core.errors import TargetError, describe_error
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.batches import chunks
from darnel.core.planting.campaign import Campaign, Planting
from darnel.core.planting.crafting import Crop
from darnel.core.queries import Query

MOST_AT_ONCE = 256
"""Plants of one wave in a corpus whose search may be approximate: among more that are alike, its index loses many."""


@dataclass(frozen=True, slots=True)
class Wave:
    """What is in the corpus at one time: these crops' plants for these queries."""

    crops: tuple[Crop, ...]
    queries: tuple[Query, ...]

    def plants(self) -> list[Plant]:
        """All of its plants."""
        return [p for crop in self.crops for q in self.queries for p in crop.plants[q.id]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one query brought for one dose.

    ``unreachable``: plant id → how the index lost it. ``problem``: why there is no list.
    """

    label: str
    query: Query
    plants: tuple[Plant, ...]
    listing: Listing | None
    planting: Planting | None
    unreachable: Mapping[str, Lost] = field(default_factory=dict)
    problem: str | None = None


@dataclass
class WaveResult:
    """All answers of a wave, and how long showing and removing took (seconds).

    ``held_out``: the answers to the questions' paraphrases, each under its question's id.
    ``not_removed``: the store still shows plants of it, or cannot be read.
    """

    answers: list[Answer]
    visible_after: float = 0.0
    gone_after: float = 0.0
    nothing_visible: bool = False
    not_removed: bool = False
    errors: list[str] = field(default_factory=list)
    held_out: list[Answer] = field(default_factory=list)


def plan_waves(
    crops: Sequence[Crop], queries: Sequence[Query], isolation: str, most: int | None = None
) -> Iterator[Wave]:
    """Cut the run into waves: a pattern at a time, a query at a time, or everything together.

    ``most``: plants that may be in the corpus at once, but never less than one query's; more are planted in several waves
    of like size. It does not hold for ``together``.
    """
    if isolation == "together":
        yield Wave(tuple(crops), tuple(queries))
        return
    for crop in crops:
        each = max((len(crop.plants[q.id]) for q in queries), default=1)
        room = 1 if isolation == "query" else len(queries) if most is None else most // max(1, each)
        waves = math.ceil(len(queries) / max(1, room))
        size = math.ceil(len(queries) / max(1, waves))
        yield from (Wave((crop,), tuple(part)) for part in chunks(queries, max(1, size)))


def failed_wave(wave: Wave, problem: str) -> WaveResult:
    """The result of a wave that could not be asked: every row says why."""
    answers = [
        Answer(c.dose.label, q, c.plants[q.id], None, None, problem=problem) for c in wave.crops for q in wave.queries
    ]
    return WaveResult(answers)


def run_wave(wave: Wave, target: Target, campaign: Campaign, options: RunOptions) -> WaveResult:
    """Plant, ask and remove one wave; what the target raises becomes the rows' problem, and the run goes on.

    Raises:
        DarnelError: the kit itself refused (a collision, the ledger); whatever was planted is removed by the campaign.
    """
    plants = wave.plants()
    try:
        planting = campaign.plant(plants)
    except TargetError as error:  # it could not be read before the first write
        result = failed_wave(wave, f"not planted: {error}")
        result.errors.append(f"{wave.crops[0].dose.label}: {error}")
        return result
    try:
        result = _ask_wave(wave, planting, target, campaign, options)
    except Exception as error:  # the target's: it fails this wave, not the run
        result = failed_wave(wave, f"asking failed: {describe_error(error)}")
        result.errors.append(f"{wave.crops[0].dose.label}: {describe_error(error)}")
    result.visible_after = planting.delay
    result.nothing_visible = not planting.visible
    if planting.error:
        result.errors.append(f"{wave.crops[0].dose.label}: the store raised while planting: {planting.error}")
    removal = campaign.remove(plants)
    result.gone_after = removal.delay
    result.not_removed = any(left.state == "leftover" for left in removal.leftovers)
    return result


def is_exact(target: Target, where: CorpusDescription) -> bool:
    """Whether what the search does not return does not belong in the list."""
    return where.capabilities.exact if target.exact is None else target.exact


def _ask_wave(wave: Wave, planting: Planting, target: Target, campaign: Campaign, options: RunOptions) -> WaveResult:
    if not planting.visible:
        why = planting.error or f"nothing of it could be read back within {planting.delay:.1f} s"
        return failed_wave(wave, f"not visible: {why}")
    index = PlantIndex(wave.plants())
    result = _ask_questions(wave, index, planting, target, campaign, options)
    others = tuple(replace(q, text=text) for q in wave.queries for text in q.paraphrases)
    if options.transfer and others:
        result.held_out = _ask_questions(Wave(wave.crops, others), index, planting, target, campaign, options).answers
    return result


def _ask_questions(
    wave: Wave, index: PlantIndex, planting: Planting, target: Target, campaign: Campaign, options: RunOptions
) -> WaveResult:
    """Ask a wave's questions, or their paraphrases, while its plants are there."""
    assert target.retriever is not None
    copies = max(len(crop.plants[q.id]) for crop in wave.crops for q in wave.queries)
    deep = target.store_search
    lists = ask(
        target.retriever,
        [q.text for q in wave.queries],
        index,
        [_keep(q, len(wave.crops) > 1) for q in wave.queries],
        depth=options.depth if deep else options.k - 1,
        spare=copies if deep else 0,
        deepen=deep,
    )
    rows = wave_rows(wave, lists)
    # what a retriever of the user's leaves out is its own decision; of an application it is seen what the store returned
    if isinstance(target.retriever, CaptureProof) and (shut := closed_to(target.retriever, rows, planting.visible)):
        return failed_wave(wave, shut)
    exact = not deep or is_exact(target, campaign.where)
    unreachable = {} if exact else find_unreachable(target.retriever, rows, planting.visible, options.depth)
    answers = [
        Answer(crop.dose.label, query, crop.plants[query.id], listing, planting, unreachable)
        for crop in wave.crops
        for query, listing in zip(wave.queries, lists, strict=True)
    ]
    return WaveResult(answers)


def _keep(query: Query, together: bool) -> Keep:
    """Which plants compete for a query: its own, or all of them where everything is planted together."""
    return lambda plant: together or plant.query_id == query.id


def wave_rows(wave: Wave, lists: Sequence[Listing]) -> list[Row]:
    """Each query's list with the plants that were made for it."""
    pairs = zip(wave.queries, lists, strict=True)
    return [Row(q.text, listing, tuple(p for crop in wave.crops for p in crop.plants[q.id])) for q, listing in pairs]
