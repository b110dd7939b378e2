"""The funnel in reports: a table where an application shows stages, and who dropped plants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from darnel.core.planting.ledger import Ledger
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.patterns.registry import parse_doses
from darnel.reports import columns
from darnel.reports.escape import markdown
from darnel.reports.markdown import render_markdown
from tests.core.asking.test_funnel import QUERIES, QUICK
from tests.core.running.test_runner import run
from tests.reports.test_escape import harmless, rendered
from tests.reports.test_reports import everywhere, on_terminal
from tests.support.apps import FakeApp, app_target, everything, without_plants
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus

Made = Callable[..., Results]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def call(**settings: Any) -> Results:
        app = FakeApp(FaultyCorpus(make_records()), **settings)
        with Ledger(tmp_path / "own.db") as ledger:
            return run_mode_a(app_target(app), QUERIES, parse_doses(["echo:1", "flood:2"]), QUICK, ledger)

    return call


def test_the_table_and_who_dropped_them(made: Made) -> None:
    results = made(filters={"reranker": everything, "cut|off": without_plants})
    dropped = sum(1 for o in results.observations if o.dropped_by)
    assert dropped >= 6
    page, shown = render_markdown(results), on_terminal(results)
    assert "| pattern | planted | visible | retrieved | delivered | in prompt | in answer |" in page
    row = next(line for line in page.splitlines() if line.startswith("| echo:1") and line.count("|") == 8)
    assert row.split(" | ")[3].startswith(f"{markdown('1.00')} (0.44–1.00)")
    assert row.split(" | ")[4].startswith(f"{markdown('0.00')} (0.00–0.56)")
    assert rf"dropped by cut\|off: {dropped} plants" in page
    assert f"dropped by cut|off: {dropped} plants" in shown
    assert "Share of questions with a plant at each stage" in shown
    assert "fake app over memory memory, 40 records" in shown and "fake app over memory memory" in page


def test_a_stage_that_is_not_shown_is_a_dash(made: Made) -> None:
    results = made(shows=("searched", "prompt"))
    assert columns.funnel_row(results.scores[0])[4:] == [(columns.DASH, ""), ("0.00", "0.00–0.56"), (columns.DASH, "")]


@pytest.mark.parametrize("shows", [("searched",), None])
def test_without_stages_there_is_no_table(shows: tuple[str, ...] | None, made: Made, tmp_path: Path) -> None:
    if shows:
        results = made(shows=shows)
    else:
        with Ledger(tmp_path / "own.db") as ledger:
            results = run(FaultyCorpus(make_records()), ledger)
    assert columns.funnel_columns(results) == []
    assert "each stage" not in on_terminal(results) + render_markdown(results)
    assert "dropped by" not in on_terminal(results) + render_markdown(results)


def test_hostile_text_is_inert_here_too(made: Made) -> None:
    results = made(filters={"cut": without_plants})
    kept = {"funnel": [s.funnel for s in results.scores]}
    bad = msgspec.convert(everywhere(msgspec.to_builtins(results)), Results)
    scores = [msgspec.structs.replace(s, funnel=f) for s, f in zip(bad.scores, kept["funnel"], strict=True)]
    bad = msgspec.structs.replace(bad, scores=scores)
    assert harmless(on_terminal(bad).replace("\n", ""))
    page = render_markdown(bad)
    assert harmless(page.replace("\n", ""))
    bare = msgspec.structs.replace(bad, scores=[msgspec.structs.replace(s, funnel={}) for s in bad.scores])
    rows = rendered(page).count("<tr>") - rendered(render_markdown(bare)).count("<tr>")
    assert rows == 1 + len(bad.scores)
    assert "<script" not in rendered(page)


def test_it_is_narrow_enough_for_a_terminal_of_80(made: Made) -> None:
    import io

    from rich.console import Console

    from darnel.reports.terminal import print_results

    out = io.StringIO()
    print_results(made(), Console(file=out, width=80, highlight=False))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("echo:1") and line.count("1.00") >= 4 for line in lines)
