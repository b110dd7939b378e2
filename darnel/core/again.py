"""Plant again what an approximate index lost, in small waves: a record's place in its graph is drawn anew each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from darnel.core.campaign import Campaign
from darnel.core.corpus import Target
from darnel.core.options import RunOptions
from darnel.core.queries import Query
from darnel.core.waves import Answer, Wave, WaveResult, run_wave

ROUNDS = 3
PLANTS_AT_ONCE = 64
"""Measured on Chroma: of plants lost among 225 alike, as many are found again 64 at a time as one at a time."""


def ask_again(wave: Wave, target: Target, campaign: Campaign, options: RunOptions, result: WaveResult) -> int:
    """Plant and ask once more, up to three times, for the queries whose answer of the first wave says nothing because the
    index missed a plant or others crowded it out; the later answer takes the earlier one's place.

    Returns:
        For how many queries that was done; their answers and errors in ``result`` are brought up to date.
    """
    lost = first = _lost(wave.queries, result.answers)
    for _ in range(ROUNDS):
        for group in _groups(lost, wave):
            if result.not_removed or result.nothing_visible:
                return len(first)
            later = run_wave(Wave(wave.crops, group), target, campaign, options)
            _replace(result, later)
        lost = _lost(lost, result.answers)
        if not lost:
            break
    return len(first)


def _lost(queries: Sequence[Query], answers: Sequence[Answer]) -> list[Query]:
    ids = {a.query.id for a in answers if any(p.id in a.unreachable for p in a.plants)}
    ids |= {a.query.id for a in answers if a.listing is not None and not a.listing.complete}
    return [query for query in queries if query.id in ids]


def _groups(queries: Sequence[Query], wave: Wave) -> Iterator[tuple[Query, ...]]:
    if queries:
        each = sum(len(crop.plants[queries[0].id]) for crop in wave.crops)
        size = max(1, min(PLANTS_AT_ONCE // each, (len(wave.queries) + 1) // 2))
        yield from (tuple(queries[start : start + size]) for start in range(0, len(queries), size))


def _replace(result: WaveResult, later: WaveResult) -> None:
    newer = {(a.label, a.query.id): a for a in later.answers}
    result.answers = [newer.get((a.label, a.query.id), a) for a in result.answers]
    result.errors.extend(later.errors)
    result.not_removed, result.nothing_visible = later.not_removed, later.nothing_visible
    result.visible_after = max(result.visible_after, later.visible_after)
    result.gone_after = max(result.gone_after, later.gone_after)
