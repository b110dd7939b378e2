"""A sample of a collection's points, the same every time and from all over it."""

from __future__ import annotations

import uuid
from typing import Any

from darnel.adapters.qdrant.faults import call
from darnel.adapters.qdrant.setup import strict_mode

SAMPLE = 32
WINDOWS = 8
WINDOW = SAMPLE // WINDOWS


def sample(client: Any, collection: str, info: Any) -> list[Any]:
    """Up to ``SAMPLE`` points with payload and vectors, in order of id.

    What was added together is often of one tenant or source, so windows are read at eight places: spread over all
    UUIDs where the ids are such, else over the numbers up to the collection's size.
    """
    deepest = getattr(strict_mode(info), "max_query_limit", None) or SAMPLE
    page, more = _scroll(client, collection, None, min(SAMPLE, deepest))
    if more is None:
        return page
    numbers = isinstance(page[0].id, int)
    size = info.points_count or SAMPLE
    found: dict[int | str, Any] = {}
    for window in range(WINDOWS):
        start = size * window // WINDOWS if numbers else str(uuid.UUID(int=window * 2**128 // WINDOWS))
        found.update((p.id, p) for p in _scroll(client, collection, start, min(WINDOW, deepest))[0])
    for point in page:  # ids that lie elsewhere leave windows empty
        if len(found) < SAMPLE:
            found.setdefault(point.id, point)
    return sorted(found.values(), key=lambda p: (isinstance(p.id, str), p.id))


def _scroll(client: Any, collection: str, start: int | str | None, limit: int) -> tuple[list[Any], Any]:
    found: tuple[list[Any], Any] = call(
        client.scroll, collection, limit=limit, offset=start, with_payload=True, with_vectors=True
    )
    return found
