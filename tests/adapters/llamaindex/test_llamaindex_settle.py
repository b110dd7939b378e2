"""Vectors that a local Qdrant's own searches change in the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from darnel.adapters.llamaindex.stores.settle import settled

distances = pytest.importorskip("qdrant_client.local.distances", reason="qdrant-client is not installed")


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 8, 48, 256]), st.integers(0, 6))
def test_a_vector_and_what_searches_made_of_it_come_to_the_same_rest(seed: int, size: int, searches: int) -> None:
    raw = np.random.default_rng(seed).standard_normal(size)
    stored = (raw / np.linalg.norm(raw)).astype(np.float32)
    searched = stored[None].copy()
    for _ in range(searches):
        distances.cosine_similarity(np.ones(size, dtype=np.float32), searched)
    assert settled(searched[0]).tobytes() == settled(stored).tobytes()
    assert np.abs(settled(stored) - stored).max() < 1e-6


def test_another_vector_stays_another() -> None:
    one = np.random.default_rng(0).standard_normal(48).astype(np.float32)
    one /= np.linalg.norm(one)
    other = one.copy()
    other[5] += 1e-5
    assert settled(one).tobytes() != settled(other).tobytes()


def test_a_null_vector_settles() -> None:
    assert settled([0.0, 0.0]).tolist() == [0.0, 0.0]
