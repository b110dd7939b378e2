"""``darnel plan``: how many questions a claim takes."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.command import Outcome

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("rate", ["1%", "0.01"])
def test_a_rate_takes_so_many_questions(cli: Cli, rate: str) -> None:
    assert cli("plan", "--max-rate", rate).out.startswith("381 questions, none of them exposed")
    assert json.loads(cli("plan", "--max-rate", "1%", "--json").out) == {"queries": 381, "max_rate": 0.01}


def test_so_many_questions_leave_room_for_a_rate(cli: Cli) -> None:
    assert "up to 0.11" in cli("plan", "--queries", "30").out


@pytest.mark.parametrize(
    "args",
    [[], ["--max-rate", "1%", "--queries", "3"], ["--max-rate", "0"], ["--max-rate", "x"], ["--max-rate", "100%"]],
)
def test_bad_input_is_one_line(cli: Cli, args: list[str]) -> None:
    ended = cli("plan", *args)
    assert ended.code == 2
    assert len(ended.err.strip().splitlines()) == 1
