"""A real ``darnel`` command that kills itself, as ``kill -9`` would, at a chosen step of the ledger or of the store.

``python -m tests.faults.child POINT OCCURRENCE STARTED ARGS...``: POINT is ``<step>/<before|inside|after>``, or ``none``;
OCCURRENCE says which time the step is taken; the file STARTED appears when the campaign is open.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LEDGER_STEPS = ("open_campaign", "announce", "mark written", "mark removed", "set_campaign")
STORE_STEPS = ("inject", "remove")
POINTS = (
    *(f"{step}/{when}" for step in LEDGER_STEPS for when in ("before", "inside", "after")),
    *(f"{step}/{when}" for step in STORE_STEPS for when in ("before", "after")),
)


class Killer:
    """Counts the steps and ends the process at the chosen one."""

    def __init__(self, point: str, occurrence: int) -> None:
        self.point, self.left = point, occurrence
        self.step = ""

    def reach(self, when: str, step: str = "") -> None:
        if f"{step or self.step}/{when}" != self.point:
            return
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)


def install(killer: Killer, started: Path) -> None:
    """Wrap every step of ``Ledger`` and of ``ChromaCorpus``."""
    from darnel.adapters.chroma.corpus import ChromaCorpus
    from darnel.core.planting.ledger import Ledger

    transaction = Ledger._transaction

    @contextmanager
    def watched(self: Ledger, **given: Any) -> Iterator[Any]:
        with transaction(self, **given) as db:
            yield db
            killer.reach("inside")  # executed, not committed

    Ledger._transaction = watched  # type: ignore[method-assign]

    def wrap(owner: type, name: str, step_of: Callable[..., str]) -> None:
        original = getattr(owner, name)

        def stepped(self: Any, *args: Any) -> Any:
            args = tuple(list(a) if isinstance(a, Iterator) else a for a in args)
            step = step_of(*args)
            killer.reach("before", step)
            killer.step = step
            result = original(self, *args)
            killer.step = ""
            killer.reach("after", step)
            if step == "open_campaign":
                started.touch()
            return result

        setattr(owner, name, stepped)

    wrap(Ledger, "open_campaign", lambda *_: "open_campaign")
    wrap(Ledger, "announce", lambda *_: "announce")
    wrap(Ledger, "mark", lambda _campaign, states: f"mark {states[0][0]}" if states else "mark nothing")
    wrap(Ledger, "set_campaign", lambda *_: "set_campaign")
    wrap(ChromaCorpus, "inject", lambda *_: "inject")
    wrap(ChromaCorpus, "remove", lambda *_: "remove")


if __name__ == "__main__":
    install(Killer(sys.argv[1], int(sys.argv[2])), Path(sys.argv[3]))
    from darnel.cli.main import main

    main(sys.argv[4:])
