"""Promise: after any history of injects, removals, crashes, recoveries and foreign writes, the owner's records are theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from darnel.core.corpus import Target
from darnel.core.planting.ledger import Ledger
from darnel.testing.machine import History
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness

STEPS = 20


class Histories(Scenarios):
    """A random walk with the witness's digest as its invariant."""

    def test_any_history_leaves_the_owners_records_alone(
        self,
        request: pytest.FixtureRequest,
        store: Any,
        target: Target,
        again: Callable[[], Target],
        ledger: Ledger,
        eye: Witness,
    ) -> None:
        """Hypothesis writes the histories; after each step owners and plants must be exactly what the model says.

        If it fails, look at the shortest history, which is printed: each step is a call that an application, a campaign or a
        crash makes. ``--darnel-examples`` sets how many histories are tried.
        """
        given = request.config.getoption("--darnel-examples", default=None)
        suite = self

        class FromHere(History):
            def __init__(self) -> None:
                super().__init__(suite, store, target, again, ledger, eye)

        run_state_machine_as_test(
            FromHere,
            settings=settings(
                max_examples=int(given or self.examples),
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=True,
                database=None,
                report_multiple_bugs=False,
                phases=(Phase.generate, Phase.shrink) if self.shrink else (Phase.generate,),
                suppress_health_check=list(HealthCheck),
            ),
        )
