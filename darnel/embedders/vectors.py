"""The vectors that plants are written with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from darnel.core.errors import EmbedderError, EmptyCorpusError
from darnel.core.plant import Plant
from darnel.embedders.base import Embedder
from darnel.embedders.check import check_dimension, check_vectors

if TYPE_CHECKING:
    from darnel.embedders.base import Matrix


def plant_vectors(plants: Sequence[Plant], embedder: Embedder | None, dimension: int | None) -> Matrix:
    """float32 of shape (plants, dimension): each plant's own vector, or else its text as the application embeds it.

    Args:
        plants: what is to be written.
        embedder: the application's; may be None where every plant brings its vector.
        dimension: of the corpus; None where it is not known.

    Raises:
        EmptyCorpusError: the dimension is not known, and the first vector written might fix it for good.
        EmbedderError: there is no embedder, or a vector does not fit.
    """
    if dimension is None:
        raise EmptyCorpusError("the corpus holds no vector yet, so their dimension is not known; fill it first")
    bare = [plant.text for plant in plants if plant.vector is None]
    if bare and embedder is None:
        raise EmbedderError("planting needs the application's embedder; give it with --embedder")
    if bare and embedder is not None:
        check_dimension(embedder, dimension)
    made = iter(embedder.documents(bare) if bare and embedder is not None else ())
    return check_vectors([next(made) if plant.vector is None else plant.vector for plant in plants], dimension)
