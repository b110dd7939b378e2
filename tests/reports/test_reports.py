"""What people read says what the results say, and nothing a corpus put into it does anything."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.results import GateResult, LeftoverInfo, Results
from darnel.reports.markdown import render_markdown
from darnel.reports.terminal import print_results
from darnel.reports.wording import doubts
from tests.core.running.test_runner import run
from tests.reports.test_escape import harmless, rendered
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202e<script>alert(1)</script>|`**[x](javascript:alert(1))\n# h\n" + "y" * 2_000


@pytest.fixture
def results(tmp_path: Path) -> Results:
    with Ledger(tmp_path / "own.db") as ledger:
        return run(FaultyCorpus(make_records()), ledger, ["echo:1", "flood:3"], RunOptions(gates=["exposure@5 > 0.9"]))


def on_terminal(results: Results, *, colour: bool = False) -> str:
    out = io.StringIO()
    print_results(results, Console(file=out, width=200, force_terminal=colour, highlight=False))
    return out.getvalue()


def test_the_table_holds_every_figure(results: Results) -> None:
    for text in (on_terminal(results), rendered(render_markdown(results))):
        for score in results.scores:
            assert score.pattern in text
            assert f"{score.exposure['5'].value:.2f}" in text
        assert "corpus digest: before = after (40 records, in full" in text
        assert "18 planted, 18 removed, 0 left over" in text
        assert "the same lists for all 3 questions" in text
        assert "failed: exposure@5 &gt; 0.9" in text or "failed: exposure@5 > 0.9" in text


def everywhere(value: object) -> object:
    """A result document with the hostile text in the place of every text that could come from outside."""
    if isinstance(value, dict):
        kept = {"outcome", "stage", "verdict", "kind", "schema_version", "isolation"}
        return {k: v if k in kept else everywhere(v) for k, v in value.items()}
    if isinstance(value, list):
        return [everywhere(item) for item in value]
    return f"{HOSTILE}{value}" if isinstance(value, str) else value


def test_hostile_text_is_inert_wherever_it_stands(results: Results) -> None:
    left = LeftoverInfo("id", "plant", "marker", "leftover", "why")
    whole = msgspec.structs.replace(
        results, leftovers=[left], warnings=["w"], errors=["e"], gates=[GateResult("c", "unclear", "d")], exit_code=3
    )
    bad = msgspec.convert(everywhere(msgspec.to_builtins(whole)), Results)
    shown = on_terminal(bad)
    assert harmless(shown.replace("\n", ""))
    page = render_markdown(bad)
    assert harmless(page.replace("\n", ""))
    html = rendered(page)
    assert "<script" not in html
    assert "<a " not in html
    assert "<h1>h" not in html
    assert html.count("<h1>") == 1
    assert html.count("<tr>") == 2 * (1 + len(bad.scores))  # both tables, and no cell of either ended early
    assert html.count("<td") == len(bad.scores) * html.count("<th>")  # no cell ends early


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "questions brought a document planted by"),
        ({"exit_code": 2}, "Not everything could be told, so this is no pass."),
        ({"scores": []}, "Could not tell: no row came to a conclusion."),
        (
            {"leftovers": [LeftoverInfo("i", "p", "m", "leftover", "r")], "exit_code": 3},
            "may be left in the corpus; run: darnel sweep",
        ),
        ({"gates": [GateResult("exposure@5 > 0.1", "failed", "")], "exit_code": 1}, "Failed on exposure@5 > 0.1"),
    ],
)
def test_the_verdict_in_one_sentence(results: Results, changes: dict[str, object], says: str) -> None:
    changed = msgspec.structs.replace(results, **{"gates": [], "exit_code": 0, **changes})  # type: ignore[arg-type]
    first = on_terminal(changed).splitlines()[0]
    assert says in first
    assert "safe" not in on_terminal(changed) + render_markdown(changed)


def test_colour_only_where_it_is_asked_for(results: Results) -> None:
    assert "\x1b[" in on_terminal(results, colour=True)
    assert "\x1b[" not in on_terminal(results)


def test_doubts_and_leftovers_are_listed(tmp_path: Path) -> None:
    from tests.support.faulty import NeverRemoves, SilentCorpus

    quick = RunOptions(visible_within=0.2, gone_within=0.2)
    with Ledger(tmp_path / "own.db") as ledger:
        silent = run(SilentCorpus(make_records()), ledger, options=quick)
        stuck = run(NeverRemoves(make_records()), ledger, options=quick)
    assert "rows inconclusive: not visible" in on_terminal(silent)
    assert "Could not tell: no row came to a conclusion." in on_terminal(silent)
    for left in stuck.leftovers:
        assert left.id in on_terminal(stuck)
        assert left.id in render_markdown(stuck).replace("\\", "")


def test_doubts_that_differ_in_a_number_are_one(silent: Results) -> None:
    reasons = ["lost at rank 4", "lost at rank 2", "lost at rank 12", "asking failed: HTTP 500"]
    rows = [
        msgspec.structs.replace(silent.observations[0], outcome="inconclusive", detail=reason) for reason in reasons
    ]
    said = doubts(msgspec.structs.replace(silent, observations=rows))
    assert said == ["3 rows inconclusive: lost at rank 2 to 12", "1 rows inconclusive: asking failed: HTTP 500"]
