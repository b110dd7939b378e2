"""Exposure on public collections agrees with the pilot's figures, cell by cell (benchmarks/pilot.py prints the table)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.pilot import KS, PATTERNS, RETRIEVERS, SETS, measure, table

SLOW = {"npl"}


def _rows() -> list[object]:
    return [
        pytest.param(corpus, retriever, marks=[pytest.mark.slow] if corpus in SLOW else [], id=f"{corpus}-{retriever}")
        for corpus in SETS
        for retriever in RETRIEVERS
    ]


@pytest.mark.parametrize(("corpus", "retriever"), _rows())
def test_exposure_agrees_with_the_pilot(data: Path, tmp_path: Path, corpus: str, retriever: str) -> None:
    cells = measure(corpus, retriever, tmp_path / "work")
    assert len(cells) == len(PATTERNS) * len(KS)
    # few inconclusive answers may be left out of a rate, or a store that shows nothing would agree with anything
    assert all(cell.n >= 0.95 * cell.asked for cell in cells), table(cells)
    assert all(cell.agrees for cell in cells), f"\n{table(cells)}"
