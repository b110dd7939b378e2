"""Vectors that stay the same while nobody changes them.

Qdrant's local mode keeps a cosine collection's vectors in memory as they were given and normalises them in place, anew
at every search: the same point read before and after a question differs, by its length the first time and by rounding
ever after. A digest of what was read would call that a change of the owner's record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from darnel.adapters.qdrant.vectors import UNNAMED, VectorLayout

SAME = 1e-6
"""Largest difference of any component, on unit vectors, that is rounding: float32 has 6e-8 to offer there."""


class SteadyVectors:
    """Gives each vector of a local cosine collection as it was first seen, normalised, for as long as it is the same."""

    def __init__(self, layout: VectorLayout) -> None:
        self._names = frozenset(name for name, vector in layout.dense.items() if vector.distance == "Cosine")
        self._seen: dict[tuple[str, str], Any] = {}

    def steady(self, id_: str, vector: Any) -> Any:
        """The vectors of one point, those of cosine made steady."""
        if isinstance(vector, Mapping):
            return {k: self._one(id_, k, v) if k in self._names else v for k, v in vector.items()}
        return self._one(id_, UNNAMED, vector) if vector is not None and UNNAMED in self._names else vector

    def _one(self, id_: str, name: str, vector: Any) -> Any:
        import numpy as np

        given = np.asarray(vector, dtype=np.float64)
        length = np.linalg.norm(given, axis=-1, keepdims=True)
        unit = (given / np.where(length == 0, 1, length)).astype(np.float32)
        known = self._seen.get((id_, name))
        if known is not None and known.shape == unit.shape and float(np.abs(known - unit).max(initial=0)) <= SAME:
            return known
        self._seen[id_, name] = unit
        return unit
