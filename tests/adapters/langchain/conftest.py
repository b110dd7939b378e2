"""Fixtures: the application's embedder, each store filled with the same corpus, and what every test writes with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from darnel.core.ledger import Ledger
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


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened
