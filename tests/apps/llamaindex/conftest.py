"""Fixtures: what reached a model, emptied before each test."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

pytest.importorskip("llama_index.core", reason="the applications need llama-index-core")
pytest.importorskip("llama_index.vector_stores.chroma", reason="the applications need llama-index-vector-stores-chroma")
pytest.importorskip("llama_index.vector_stores.qdrant", reason="the applications need llama-index-vector-stores-qdrant")

from tests.apps.llamaindex.zoo import parts

QUESTIONS = (
    "How do flour and yeast go with oven?",
    "What holds the hull, the keel and the mast?",
    "Where do honey and wax come from?",
)


@pytest.fixture
def spent() -> list[str]:
    parts.spent.clear()
    return parts.spent


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """LlamaIndex's agents look at attributes that pydantic announces to end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
