"""The lists that came back while a pattern was planted, kept only where they cannot be told from the rest of the document.

Mostly such a list is the baseline with the plants set in at their positions; a run of many patterns would otherwise hold
the same ids over and over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from darnel.core.asking.waves import WaveResult
from darnel.core.results import Observation, ReturnedList

Ids = Sequence[str | None]


def set_in(baseline: Ids, places: Set[int], depth: int) -> list[str | None]:
    """The first ``depth`` places of the baseline with a plant (None) at each of ``places``, counted from 1."""
    rest = iter(baseline)
    return [None if place in places else next(rest) for place in range(1, min(depth, len(baseline) + len(places)) + 1)]


def unlike_baseline(
    waves: Iterable[WaveResult], baseline: Mapping[str, Ids], rows: Iterable[Observation], depth: int
) -> list[ReturnedList]:
    """Every list that ``set_in`` does not give from the baseline and the positions in the rows."""
    return list(_unlike(waves, baseline, places_of(rows), depth))


def places_of(rows: Iterable[Observation]) -> dict[tuple[str, str], set[int]]:
    """Pattern and query → the positions of its plants in the list that came back."""
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for row in rows:
        if row.position is not None:
            places[row.pattern, row.query].add(row.position)
    return places


def _unlike(
    waves: Iterable[WaveResult], baseline: Mapping[str, Ids], places: Mapping[tuple[str, str], set[int]], depth: int
) -> Iterator[ReturnedList]:
    for wave in waves:
        for answer in wave.answers:
            if answer.listing is None or answer.listing.error:
                continue
            pattern, query = answer.label, answer.query.id
            ids = [None if entry.plants else entry.source.id for entry in answer.listing.entries[:depth]]
            if ids != _expected(baseline.get(query, ()), places.get((pattern, query), set()), depth):
                yield ReturnedList(pattern, query, ids)


def _expected(baseline: Ids, places: set[int], depth: int) -> list[str | None] | None:
    # a position past the end of what the baseline could fill: the list is another one
    if any(place > len(baseline) + len(places) for place in places):
        return None
    return set_in(baseline, places, depth)
