"""Plant again what an approximate index lost, in small waves: a record's place in its graph is drawn anew each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from darnel.core.asking.waves import Answer, Wave, WaveResult, run_wave
from darnel.core.corpus import Target
from darnel.core.options import RunOptions
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.crafting import Crop
from darnel.core.queries import Query

ROUNDS = 3
PLANTS_AT_ONCE = 64
"""Measured on Chroma: of plants lost among 225 alike, as many are found again 64 at a time as one at a time."""


def lost_queries(waves: Sequence[Wave], results: Sequence[WaveResult], campaign: Campaign) -> list[Query]:
    """The queries whose answer says nothing because the index missed a plant, or other plants crowded the list.

    Left out are those of which a plant could not be taken out, or was edited: it is not written over.
    """
    answers = [answer for result in results for answer in result.answers]
    stuck = {left.id for left in campaign.leftovers}
    ids = {a.query.id for a in answers if _is_lost(a)} - {
        a.query.id for a in answers if any(p.id in stuck for p in a.plants)
    }
    return [query for wave in waves for query in wave.queries if query.id in ids]


def ask_again(
    waves: Sequence[Wave], target: Target, campaign: Campaign, options: RunOptions, results: Sequence[WaveResult]
) -> None:
    """Plant and ask the lost queries once more, up to three times; a later answer takes the earlier one's place.

    An answer that a failing store cut short takes no place.

    Args:
        waves: one pattern's waves (or one wave of several patterns), already asked.
        target: what is under test.
        campaign: whose plants they are.
        options: the run's.
        results: what the waves brought, in their order; brought up to date, errors and delays in the last of them.
    """
    crops, last = waves[0].crops, results[-1]
    most = (max(len(wave.queries) for wave in waves) + 1) // 2
    for _ in range(ROUNDS):
        for group in _groups(lost_queries(waves, results, campaign), crops, most):
            if last.not_removed or last.nothing_visible:
                return
            _replace(results, run_wave(Wave(crops, group), target, campaign, options))


def _is_lost(answer: Answer) -> bool:
    if any(p.id in answer.unreachable for p in answer.plants):
        return True
    return answer.listing is not None and not answer.listing.complete


def _groups(queries: Sequence[Query], crops: Sequence[Crop], most: int) -> Iterator[tuple[Query, ...]]:
    if queries:
        each = sum(len(crop.plants[queries[0].id]) for crop in crops)
        size = max(1, min(PLANTS_AT_ONCE // max(1, each), most))
        yield from (tuple(queries[start : start + size]) for start in range(0, len(queries), size))


def _replace(results: Sequence[WaveResult], later: WaveResult) -> None:
    for result in results:
        result.answers = _newest(result.answers, later.answers)
        result.held_out = _newest(result.held_out, later.held_out)
    result = results[-1]
    result.errors.extend(later.errors)
    result.not_removed, result.nothing_visible = later.not_removed, later.nothing_visible
    result.visible_after = max(result.visible_after, later.visible_after)
    result.gone_after = max(result.gone_after, later.gone_after)


def _newest(answers: Sequence[Answer], later: Sequence[Answer]) -> list[Answer]:
    newer = {(a.label, a.query.id, a.query.text): a for a in later if _is_whole(a)}
    return [newer.get((a.label, a.query.id, a.query.text), a) for a in answers]


def _is_whole(answer: Answer) -> bool:
    """Whether all plants of an answer were there, and the target answered."""
    if answer.planting is None or answer.listing is None or answer.listing.error:
        return False
    return all(p.id in answer.planting.visible for p in answer.plants)
