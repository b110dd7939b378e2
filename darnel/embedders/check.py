"""Is this the embedder the application used? Re-embed some of its records and compare with what it stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from darnel.core.corpus import Record
from darnel.core.errors import EmbedderError
from darnel.embedders.base import Embedder

if TYPE_CHECKING:
    from darnel.embedders.base import Matrix

MIN_COSINE = 0.99


@dataclass(frozen=True, slots=True)
class Agreement:
    """How re-embedded records compare with their stored vectors: cosines over ``n`` records."""

    n: int
    median: float
    lowest: float

    def holds(self, least: float = MIN_COSINE) -> bool:
        """Whether the median record agrees; a few stale vectors are common and no fault of the embedder."""
        return self.n > 0 and self.median >= least


def check_dimension(embedder: Embedder, dimension: int | None) -> None:
    """Refuse an embedder whose vectors do not fit.

    Raises:
        EmbedderError: names both dimensions.
    """
    if dimension is not None and embedder.dimension != dimension:
        raise EmbedderError(
            f"the embedder {embedder.name} gives {embedder.dimension} dimensions and the corpus holds {dimension}; "
            "give the embedder the application uses with --embedder module:attr"
        )


def check_vectors(vectors: Sequence[Sequence[float]], dimension: int) -> Matrix:
    """float32 of shape (vectors, dimension), for a store that would refuse them late, or halfway, or not at all.

    Raises:
        EmbedderError: one has another length, or holds NaN or infinity.
    """
    import numpy as np

    for number, vector in enumerate(vectors):
        if len(vector) != dimension:
            raise EmbedderError(
                f"vector {number} of {len(vectors)} has {len(vector)} components and the corpus holds {dimension}; "
                "give vectors of the application's embedder"
            )
    made: Matrix = np.asarray(vectors, dtype=np.float32)
    if not np.isfinite(made).all():
        raise EmbedderError("a vector holds NaN or infinity; give vectors of the application's embedder")
    return made


def agreement(embedder: Embedder, records: Sequence[Record]) -> Agreement:
    """Cosines between stored vectors and fresh embeddings of the same texts; records without either are passed over."""
    import numpy as np

    usable = [r for r in records if r.text and r.vector is not None]
    if not usable:
        return Agreement(0, float("nan"), float("nan"))
    stored = np.asarray([r.vector for r in usable], dtype=np.float64)
    fresh = embedder.documents([r.text or "" for r in usable]).astype(np.float64)
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(fresh, axis=1)
    cosines = (stored * fresh).sum(axis=1) / np.where(lengths == 0, 1, lengths)
    return Agreement(len(usable), float(np.median(cosines)), float(cosines.min()))
