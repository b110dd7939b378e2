"""Plant again what an approximate index lost, in small waves: a record's place in its graph is drawn anew each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from darnel.core.campaign import Campaign
from darnel.core.corpus import Target
from darnel.core.crafting import Crop
from darnel.core.options import RunOptions
from darnel.core.queries import Query
from darnel.core.waves import Wave, WaveResult, run_wave

ROUNDS = 3
PLANTS_AT_ONCE = 64
"""Measured on Chroma: of plants lost among 225 alike, as many are found again 64 at a time as one at a time."""


def ask_again(
    waves: Sequence[Wave], target: Target, campaign: Campaign, options: RunOptions, results: Sequence[WaveResult]
) -> int:
    """Plant and ask once more, up to three times, for the queries whose answer of the first waves says nothing because the
    index missed a plant or others crowded it out; the later answer takes the earlier one's place.

    Args:
        waves: one pattern's waves (or one wave of several patterns), already asked.
        target: what is under test.
        campaign: whose plants they are.
        options: the run's.
        results: what the waves brought, in their order; brought up to date, errors and delays in the last of them.

    Returns:
        For how many queries that was done.
    """
    crops, last = waves[0].crops, results[-1]
    lost = first = _lost([query for wave in waves for query in wave.queries], results)
    most = (max(len(wave.queries) for wave in waves) + 1) // 2
    for _ in range(ROUNDS):
        for group in _groups(lost, crops, most):
            if last.not_removed or last.nothing_visible:
                return len(first)
            _replace(results, run_wave(Wave(crops, group), target, campaign, options))
        lost = _lost(lost, results)
        if not lost:
            break
    return len(first)


def _lost(queries: Sequence[Query], results: Sequence[WaveResult]) -> list[Query]:
    answers = [answer for result in results for answer in result.answers]
    ids = {a.query.id for a in answers if any(p.id in a.unreachable for p in a.plants)}
    ids |= {a.query.id for a in answers if a.listing is not None and not a.listing.complete}
    return [query for query in queries if query.id in ids]


def _groups(queries: Sequence[Query], crops: Sequence[Crop], most: int) -> Iterator[tuple[Query, ...]]:
    if queries:
        each = sum(len(crop.plants[queries[0].id]) for crop in crops)
        size = max(1, min(PLANTS_AT_ONCE // each, most))
        yield from (tuple(queries[start : start + size]) for start in range(0, len(queries), size))


def _replace(results: Sequence[WaveResult], later: WaveResult) -> None:
    newer = {(a.label, a.query.id): a for a in later.answers}
    for result in results:
        result.answers = [newer.get((a.label, a.query.id), a) for a in result.answers]
    result = results[-1]
    result.errors.extend(later.errors)
    result.not_removed, result.nothing_visible = later.not_removed, later.nothing_visible
    result.visible_after = max(result.visible_after, later.visible_after)
    result.gone_after = max(result.gone_after, later.gone_after)
