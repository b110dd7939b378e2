"""Fixtures: the application's embedder, each store filled with the same corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.langchain.houses import HOUSES, House, need
from tests.adapters.langchain.words import WordEmbeddings

need("langchain_core")


@pytest.fixture
def embeddings() -> WordEmbeddings:
    return WordEmbeddings()


@pytest.fixture(params=HOUSES)
def house(request: pytest.FixtureRequest, embeddings: WordEmbeddings, tmp_path: Path) -> House:
    """Every store in turn."""
    return HOUSES[request.param](embeddings, tmp_path)
