"""A handful of rounds of ``kill_rounds``; ``--fault-rounds N`` makes more of them."""

from __future__ import annotations

import pytest

from tests.faults.kill_rounds import rounds


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("mode", ["embedded", "http"])
def test_nothing_is_left_or_changed_after_a_kill_and_a_sweep(request: pytest.FixtureRequest, mode: str) -> None:
    count = request.config.getoption("--fault-rounds")
    tally = rounds(mode, count, seed=count)
    assert tally.problems == []
    assert tally.rounds == count
    assert tally.killed >= count // 2
