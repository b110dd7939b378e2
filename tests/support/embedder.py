"""A small deterministic embedder: every word is a hash-seeded vector, a text is the sum of its words."""

from __future__ import annotations

import hashlib
import re
from functools import cache

import numpy as np

DIMENSION = 32


@cache
def _word(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION)


def embed(text: str) -> np.ndarray:
    vector = np.sum([_word(w) for w in re.findall(r"\w+", text.lower())] or [_word("")], axis=0)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def hashed(texts: list[str]) -> list[list[float]]:
    """``--embedder tests.support.embedder:hashed``."""
    return [embed(text).tolist() for text in texts]


def wider(texts: list[str]) -> list[list[float]]:
    """Of another dimension."""
    return [[*embed(text).tolist(), 0.0] for text in texts]


def other(texts: list[str]) -> list[list[float]]:
    """Of the same dimension, and another model."""
    return [embed(f"{text} other").tolist()[::-1] for text in texts]


def slow(texts: list[str]) -> list[list[float]]:
    """Takes its time, so that a run can be caught in the middle."""
    import time

    time.sleep(0.05)
    return hashed(texts)
