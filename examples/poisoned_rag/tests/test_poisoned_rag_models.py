"""Models that fail midway leave what they answered, and what is missing is marked and never safe."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from poisoned_rag.attacks import all_attacks
from poisoned_rag.context import HARDENED, MODES, NAIVE
from poisoned_rag.matrix import run_matrix
from poisoned_rag.report import render_matrix_report, render_report
from poisoned_rag.runner import Row, run_attacks
from poisoned_rag.shelf import cover
from poisoned_rag.tables import cell, family_table

from darnel.core.planting.ledger import Ledger
from darnel.models.base import ChatModel, ChatReply, Message, Tool
from darnel.models.resolve import resolve_model
from darnel.models.scripted import Scripted

ATTACKS = all_attacks()
FIRST, SECOND, THIRD = ATTACKS[:3]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger(tmp_path / "ledger.db") as opened:
        yield opened


def rows(ledger: Ledger, *models: ChatModel, questions: int = 2) -> list[Row]:
    return run_matrix(models, cover(), ATTACKS, ledger, questions=questions, patience=0.3)


@pytest.mark.parametrize(
    ("spec", "why"),
    [("scripted:raising:5", "RuntimeError: 429 rate limit"), ("scripted:hanging:5", "no answer within 0.3 s")],
)
def test_a_model_that_raises_or_hangs_keeps_what_it_answered(ledger: Ledger, spec: str, why: str) -> None:
    failing, whole = rows(ledger, resolve_model(spec), resolve_model("scripted:obedient"))
    assert len(failing.trials) == 3  # five answers: two trials whole, the third naive only
    assert failing.stopped is not None
    assert failing.stopped.startswith(f"{SECOND.id}, question h1: {why}")
    assert (cell(failing, FIRST, NAIVE), cell(failing, FIRST, HARDENED)) == ("❌ 2/2", "❌ 2/2")
    assert (cell(failing, SECOND, NAIVE), cell(failing, SECOND, HARDENED)) == ("❌ 1/1 ⚠️", "⚠️")
    assert all(cell(failing, attack, mode) == "⚠️" for attack in ATTACKS[2:] for mode in MODES)
    assert whole.stopped is None  # the next model is asked all the same
    assert len(whole.trials) == 56
    assert failing.clean
    assert whole.clean
    page = render_matrix_report([failing, whole], ATTACKS)
    assert f"| {SECOND.id} | ❌ 1/1 ⚠️ | ⚠️ | ❌ 2/2 | ❌ 2/2 |" in page
    assert f"| {THIRD.id} | ⚠️ | ⚠️ | ❌ 2/2 | ❌ 2/2 |" in page
    assert f"stopped after 3 of 56 trials: {SECOND.id}, question h1" in page.replace("&#", "").replace("\\", "")


def test_a_model_that_says_nothing_is_never_safe(ledger: Ledger) -> None:
    (row,) = rows(ledger, resolve_model("scripted:silent"), questions=1)
    assert row.stopped is None
    assert len(row.trials) == 28
    assert {t.judged[mode.name].verdict for t in row.trials for mode in MODES} == {"could not tell"}
    assert all(cell(row, attack, mode) == "⚠️" for attack in ATTACKS for mode in MODES)
    assert family_table(row).rows[-1] == ("all", "28", "28", "–", "–", "–", "56")
    assert "| all | 28 | 28 | – | – | – | 56 |" in render_report(row)


def test_a_model_that_starts_to_say_nothing_midway(ledger: Ledger) -> None:
    (row,) = rows(ledger, resolve_model("scripted:silent:3"))
    assert (cell(row, FIRST, NAIVE), cell(row, FIRST, HARDENED)) == ("❌ 2/2", "❌ 1/1 ⚠️")
    assert cell(row, SECOND, NAIVE) == "⚠️"


def test_a_report_of_a_model_that_never_answered(ledger: Ledger) -> None:
    (row,) = rows(ledger, resolve_model("scripted:raising"))
    assert len(row.trials) == 1
    assert "stopped after 1 of 56 trials" in render_report(row)
    assert "⚠️" in render_matrix_report([row], ATTACKS)
    assert "1 planted, 1 removed; all other documents and lists are as before" in render_report(row)


def test_an_interruption_keeps_what_was_measured_and_removes_what_was_planted(ledger: Ledger) -> None:
    asked = 0

    def act(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
        nonlocal asked
        asked += 1
        if asked == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return ChatReply("well")

    first, second = rows(ledger, Scripted("interrupted", act), resolve_model("scripted:obedient"))
    assert (first.stopped, second.stopped) == ("interrupted", "interrupted")
    assert len(first.trials) == 2
    assert second.trials == []
    assert ledger.campaigns(unfinished=True) == []
    page = render_matrix_report([first, second], ATTACKS)
    assert f"| {FIRST.id} | ✅ 0/2 | ✅ 0/2 | ⚠️ | ⚠️ |" in page


def test_what_a_provider_says_is_inert_in_a_report(ledger: Ledger) -> None:
    def act(_messages: Sequence[Message], _tools: Sequence[Tool]) -> ChatReply:
        raise RuntimeError("<script>alert(1)</script> | [x](http://x) \x1b[31m")

    model = Scripted("a|b <img src=x>", act)
    row = run_attacks(model, cover(), ATTACKS, ledger, questions=1)
    for page in (render_report(row), render_matrix_report([row], ATTACKS)):
        assert "<script>" not in page
        assert "<img" not in page
        assert "\x1b" not in page
        assert "](http:" not in page
