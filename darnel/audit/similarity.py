"""Records against the questions that users ask, by the application's embedder, batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Entry
from darnel.audit.detector import Context
from darnel.core.errors import EmbedderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

FEWEST_QUERIES = 30
"""Questions below which being found by several of them says nothing."""
DIGITS = 6
"""Decimals of a cosine that count: what lies below depends on how many are reckoned at once."""


def why_not(context: Context) -> str | None:
    """Why records cannot be held against questions here, or None."""
    if len(context.queries) < FEWEST_QUERIES:
        return f"it needs {FEWEST_QUERIES} questions that users ask, of as many kinds as they are: --queries FILE"
    return None if context.embed else "it needs the application's embedder: --embedder SPEC"


def query_vectors(context: Context) -> Matrix:
    """One unit vector a question."""
    embed = context.embed_queries or context.embed
    assert embed is not None
    return unit(embed([q.text for q in context.queries]))


def record_vectors(context: Context, entries: Sequence[Entry], dimension: int) -> tuple[list[Entry], Matrix]:
    """Records that have a vector or a text to make one of, and their unit vectors: the store's own where it has them.

    Raises:
        EmbedderError: a stored vector is not as long as the embedder's.
    """
    assert context.embed is not None
    kept = [e for e in entries if e.vector is not None or e.text]
    bare = [e.text for e in kept if e.vector is None]
    made = iter(context.embed(bare)) if bare else iter(())
    rows = [next(made) if e.vector is None else e.vector for e in kept]
    for row in rows:
        if len(row) != dimension:
            raise EmbedderError(f"the embedder gives {dimension} dimensions and the corpus holds {len(row)}")
    return kept, unit(rows)


def unit(rows: Any) -> Matrix:
    """Rows of length one; zeros, and what is no number, stay or become zeros."""
    import numpy as np

    matrix = np.nan_to_num(np.atleast_2d(np.asarray(rows, dtype=np.float64)), posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(matrix, axis=-1, keepdims=True)
    found: Matrix = matrix / np.where(lengths > 0, lengths, 1.0)
    return found
