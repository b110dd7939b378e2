"""Results to render: a small run, a copy of it with hostile text everywhere, and one of every trouble."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.results import GateResult, LeftoverInfo, Results
from tests.core.running.test_runner import run
from tests.reports.hostile import everywhere
from tests.support.browser import Browser, start_browser
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus, NeverRemoves, SilentCorpus


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Two controls and three patterns, one at two strengths; one gate passed and one failed."""
    gates = ["exposure@5 > 0.9", "mrr > 1"]
    with Ledger(tmp_path_factory.mktemp("results") / "own.db") as ledger:
        patterns = ["echo:1", "echo:3", "flood:3", "partial"]
        return run(FaultyCorpus(make_records()), ledger, patterns, RunOptions(gates=gates))


@pytest.fixture(scope="session")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Nothing could be told of anything."""
    with Ledger(tmp_path_factory.mktemp("silent") / "own.db") as ledger:
        options = RunOptions(visible_within=0.2, gone_within=0.2, gates=["exposure@5 > 0.2"])
        return run(SilentCorpus(make_records()), ledger, options=options)


@pytest.fixture(scope="session")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What was planted stayed."""
    with Ledger(tmp_path_factory.mktemp("stuck") / "own.db") as ledger:
        return run(NeverRemoves(make_records()), ledger, options=RunOptions(visible_within=0.2, gone_within=0.2))


@pytest.fixture(scope="session")
def hostile(results: Results) -> Results:
    """Hostile text in the place of every text that could come from outside."""
    left = LeftoverInfo("id", "plant", "marker", "leftover", "why")
    whole = msgspec.structs.replace(
        results, leftovers=[left], warnings=["w"], errors=["e"], gates=[GateResult("c", "unclear", "d")], exit_code=3
    )
    return msgspec.convert(everywhere(msgspec.to_builtins(whole)), Results)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with start_browser() as started:
        yield started


@pytest.fixture
def page_of(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Renders a result and gives the file."""
    from darnel.reports.html import render_html

    def write(results: Results) -> Path:
        path = tmp_path / "report.html"
        path.write_text(render_html(results), encoding="utf-8")
        return path

    return write
