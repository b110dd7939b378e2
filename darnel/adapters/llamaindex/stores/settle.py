"""Vectors of a local Qdrant, which searching itself changes in their last bit.

Local mode (seen in qdrant-client 1.20) normalises the stored vectors of a cosine collection again, in place, at every
search without a filter, the application's own included. What is compared before and after a run is therefore the vector
at which that comes to rest: where a vector and its re-normalised self come to the same rest, they are the same vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def settled(vector: Sequence[float]) -> Any:
    """The float32 vector that repeated searches turn this one into; of a cycle, its least member by bytes."""
    import numpy as np

    row = np.asarray([vector], dtype=np.float32)
    search = _search()
    if search is None:
        return row[0]
    probe = np.ones(row.shape[1], dtype=np.float32)
    seen: dict[bytes, int] = {}
    while (state := row.tobytes()) not in seen:
        seen[state] = len(seen)
        search(probe, row)
    rest = min(list(seen)[seen[state] :])
    return np.frombuffer(rest, dtype=np.float32)


def _search() -> Any:
    try:
        from qdrant_client.local.distances import cosine_similarity
    except ImportError:  # another version, whose local mode is laid out otherwise
        return None
    return cosine_similarity
