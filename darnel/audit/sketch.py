"""Thresholds from the corpus's own statistics, in memory that does not grow with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BINS = 512
FEWEST = 200
"""Records below which a corpus is too small to say what is usual in it."""


class Histogram:
    """Counts of a feature in [0, 1]; its 512 bins take 4 KB, and the order of adding does not matter.

    ``kept``: the counts of another corpus, which then stay as they are.
    """

    def __init__(self, kept: Sequence[int] | None = None) -> None:
        if kept is not None and (len(kept) != BINS + 1 or min(kept) < 0):
            raise ValueError(f"a histogram has {BINS + 1} counts")
        self._counts = [0] * (BINS + 1) if kept is None else [int(count) for count in kept]
        self._fixed = kept is not None
        self.n = sum(self._counts)

    @property
    def counts(self) -> list[int]:
        """All counts, to make the same histogram of."""
        return list(self._counts)

    def add(self, value: float) -> None:
        """Count one value, unless the counts are another corpus's; beyond the range it counts as the range's end."""
        if self._fixed:
            return
        self._counts[int(min(1.0, max(0.0, value)) * BINS)] += 1
        self.n += 1

    def add_all(self, values: NDArray[np.float64]) -> None:
        """Count many values, as ``add`` does."""
        import numpy as np

        if self._fixed:
            return
        places = (np.clip(values, 0.0, 1.0) * BINS).astype(np.int64)
        for place, count in zip(*np.unique(places, return_counts=True), strict=True):
            self._counts[place] += int(count)
        self.n += len(values)

    def merge(self, other: Histogram) -> None:
        """Count what another has counted."""
        if self._fixed:
            return
        self._counts = [mine + theirs for mine, theirs in zip(self._counts, other._counts, strict=True)]
        self.n += other.n

    def quantile(self, share: float) -> float:
        """The upper edge of the bin below which ``share`` of the values lie; 0 where there are none."""
        below = 0
        for number, count in enumerate(self._counts):
            below += count
            if below >= share * self.n:
                return (number + 1) / BINS if number else 0.0
        return 1.0

    def threshold(self, budget: float, floor: float) -> float:
        """The value that ``budget`` of honest records would pass, but never below ``floor``.

        Reckoned from the middle (median and 90 % quantile) as if the tail fell off exponentially, so that up to a tenth of
        the corpus may be planted without moving it much. With few records only the floor counts.
        """
        if self.n < FEWEST:
            return floor
        median, high = self.quantile(0.5), self.quantile(0.9)
        scale = (high - median) / math.log(5)
        return max(floor, median + scale * math.log(0.5 / budget))
