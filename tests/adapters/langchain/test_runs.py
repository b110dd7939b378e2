"""Mode A through every store: the same ranks, nothing left, nothing else changed."""

from __future__ import annotations

from pathlib import Path

import pytest

import darnel
from darnel.core.planting.ledger import Ledger
from tests.adapters.langchain.houses import HOUSES, House
from tests.adapters.langchain.words import QUESTIONS, WordEmbeddings

PATTERNS = ("echo:1", "keywords:3", "flood:2")


def ranks(results: darnel.Results) -> dict[str, int | None]:
    return {o.plant: o.rank for o in results.observations}


def test_a_run_measures_removes_and_leaves_all_else_as_it_was(house: House, ledger: Ledger) -> None:
    before = house.witness()
    results = darnel.run(house.store, QUESTIONS, PATTERNS, ledger=ledger)
    assert house.witness() == before
    assert results.errors == []
    assert results.exit_code == 0
    assert results.cleanup.planted == results.cleanup.removed == len(results.observations)
    assert results.leftovers == []
    assert results.corpus_digest is not None
    assert (results.corpus_digest.kind, results.corpus_digest.same) == ("full", True)
    assert results.baseline.same is True
    assert results.target.backend.startswith("langchain/")
    assert {o.proof for o in results.observations if o.rank} == {"id"}
    assert ledger.campaigns() == []


def test_every_store_gives_the_same_ranks(embeddings: WordEmbeddings, tmp_path: Path, ledger: Ledger) -> None:
    """Exact search by the same vectors; Chroma's index is approximate, and at this size finds what exact search finds."""
    expected = ranks(darnel.run(HOUSES["memory"](embeddings, tmp_path).store, QUESTIONS, PATTERNS, ledger=ledger))
    assert len([r for r in expected.values() if r]) > len(expected) / 2
    assert None in expected.values()
    for name in HOUSES.keys() - {"memory"}:
        try:
            house = HOUSES[name](embeddings, tmp_path)
        except pytest.skip.Exception:
            continue
        assert ranks(darnel.run(house.store, QUESTIONS, PATTERNS, ledger=ledger)) == expected, name


def test_questions_are_embedded_once(house: House, embeddings: WordEmbeddings, ledger: Ledger) -> None:
    darnel.run(house.store, QUESTIONS, ["echo:1"], ledger=ledger)
    for question in QUESTIONS:
        assert embeddings.asked.count(question) == 1
