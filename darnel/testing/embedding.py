"""A small embedder for tests: words hashed to directions, summed and normalised. No model, the same everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from darnel.embedders.base import CachedEmbedder

if TYPE_CHECKING:
    from darnel.embedders.base import Matrix

DIMENSION = 32


def word_vectors(texts: Sequence[str], dimension: int = DIMENSION, salt: str = "") -> Matrix:
    """float32 of shape (texts, dimension), unit length; texts that share words are near, in any order of them."""
    import numpy as np

    made = np.zeros((len(texts), dimension), dtype=np.float64)
    for row, text in enumerate(texts):
        for word in [*text.split(), text]:
            raw = hashlib.shake_128(f"{salt}{word}".encode("utf-8", "surrogatepass")).digest(dimension)
            made[row] += np.frombuffer(raw, dtype=np.uint8).astype(np.float64) - 127.5
    found: Matrix = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return found


def word_embedder(dimension: int = DIMENSION, salt: str = "") -> CachedEmbedder:
    """An embedder over ``word_vectors``; another ``salt`` is another model."""
    return CachedEmbedder(f"words-{dimension}{salt}", lambda texts: word_vectors(texts, dimension, salt))
