"""One wave: plant, wait until visible, ask, remove, prove."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from darnel.core.campaign import Campaign, Planting
from darnel.core.corpus import Prober, Retriever, Target
from darnel.core.crafting import Crop
from darnel.core.errors import DarnelError, describe_error
from darnel.core.evidence import PlantIndex
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.queries import Query
from darnel.core.ranking import Keep, Listing, ask, place

PROBE_DEPTHS = (10, 100)
"""An approximate index may miss at a shallow search what a deeper one finds; only what neither finds is unreachable."""


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
    """What one query brought for one dose. ``plants``: plant name → what became of it."""

    label: str
    query: Query
    plants: tuple[Plant, ...]
    listing: Listing | None
    planting: Planting | None
    unreachable: frozenset[str] = frozenset()
    problem: str | None = None


@dataclass
class WaveResult:
    """All answers of a wave, and how long showing and removing took (seconds)."""

    answers: list[Answer]
    visible_after: float = 0.0
    gone_after: float = 0.0
    nothing_visible: bool = False
    errors: list[str] = field(default_factory=list)


def plan_waves(crops: Sequence[Crop], queries: Sequence[Query], isolation: str) -> Iterator[Wave]:
    """Cut the run into waves: a pattern at a time, a query at a time, or everything together."""
    if isolation == "together":
        yield Wave(tuple(crops), tuple(queries))
        return
    for crop in crops:
        if isolation == "query":
            yield from (Wave((crop,), (query,)) for query in queries)
        else:
            yield Wave((crop,), tuple(queries))


def failed_wave(wave: Wave, problem: str) -> WaveResult:
    """The result of a wave that could not be asked: every row says why."""
    answers = [
        Answer(c.dose.label, q, c.plants[q.id], None, None, problem=problem) for c in wave.crops for q in wave.queries
    ]
    return WaveResult(answers)


def run_wave(wave: Wave, target: Target, campaign: Campaign, options: RunOptions) -> WaveResult:
    """Plant, ask and remove one wave; what the target raises becomes the rows' problem.

    Raises:
        DarnelError: the kit itself refused (a collision, the ledger); whatever was planted is removed by the campaign.
    """
    plants = wave.plants()
    planting = campaign.plant(plants)
    try:
        result = _ask_wave(wave, plants, planting, target, options)
    except DarnelError:
        raise
    except Exception as error:  # the target's: it fails this wave, not the run
        result = failed_wave(wave, f"asking failed: {describe_error(error)}")
        result.errors.append(f"{wave.crops[0].dose.label}: {describe_error(error)}")
    result.visible_after = planting.delay
    result.nothing_visible = not planting.visible
    if planting.error:
        result.errors.append(f"{wave.crops[0].dose.label}: the store raised while planting: {planting.error}")
    result.gone_after = campaign.remove(plants).delay
    return result


def _ask_wave(wave: Wave, plants: list[Plant], planting: Planting, target: Target, options: RunOptions) -> WaveResult:
    if not planting.visible:
        why = planting.error or f"nothing of it could be read back within {planting.delay:.1f} s"
        return failed_wave(wave, f"not visible: {why}")
    assert target.retriever is not None
    index = PlantIndex(plants)
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
    seen = {p.id for q, listing in zip(wave.queries, lists, strict=True) for p in _seen(q, listing)}
    quiet = [p for p in plants if p.id in planting.visible and p.id not in seen]
    unreachable = _unreachable(target, quiet) if deep else frozenset[str]()
    answers = [
        Answer(crop.dose.label, query, crop.plants[query.id], listing, planting, unreachable)
        for crop in wave.crops
        for query, listing in zip(wave.queries, lists, strict=True)
    ]
    return WaveResult(answers)


def _keep(query: Query, together: bool) -> Keep:
    """Which plants compete for a query: its own, or all of them where everything is planted together."""
    return lambda plant: together or plant.query_id == query.id


def _seen(query: Query, listing: Listing) -> list[Plant]:
    return [p for entry in listing.entries for p in entry.plants if p.query_id == query.id]


def _unreachable(target: Target, plants: Sequence[Plant]) -> frozenset[str]:
    """Plants that the store shows by id while its search does not find them even by their own vector or text."""
    assert target.retriever is not None
    hidden = list(plants)
    for depth in PROBE_DEPTHS:
        if not hidden:
            break
        if isinstance(target.retriever, Prober):
            found = target.retriever.probe(hidden, depth)
            hidden = [p for p, ids in zip(hidden, found, strict=True) if p.id not in ids]
        else:
            hidden = _hidden_by_text(target.retriever, hidden, depth)
    return frozenset(p.id for p in hidden)


def _hidden_by_text(retriever: Retriever, plants: Sequence[Plant], depth: int) -> list[Plant]:
    keeps: list[Keep] = [lambda _plant: True] * len(plants)
    lists = ask(retriever, [p.text for p in plants], PlantIndex(plants), keeps, depth=depth, deepen=False)
    return [p for p, listing in zip(plants, lists, strict=True) if place(listing, p) is None]
