"""Several processes find what one finds, keep it on Ctrl-C, and are missed when they die."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from darnel.audit import workers
from darnel.audit.detector import Context
from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.listed import ListReader
from darnel.audit.results import AuditResults
from darnel.core.queries import Query
from tests.audit.test_stability import CORPUS, QUERY

CONTEXT = Context([Query("q", QUERY)])


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started at once."""
    monkeypatch.setattr(workers, "WARM", 5)


def run(reader: Any, jobs: int) -> AuditResults:
    return run_audit([reader], AuditOptions(CONTEXT, batch=5, jobs=jobs))


@pytest.mark.parametrize("jobs", [2, 3])
def test_they_find_the_same(jobs: int) -> None:
    alone, together = (run(ListReader(CORPUS), n) for n in (1, jobs))
    assert together.findings == alone.findings
    assert {f.detector for f in together.findings} >= {"siblings", "hidden-text", "fields", "repetition", "echo"}
    assert not together.errors
    assert together.read == alone.read


class Interrupted(ListReader):
    """Ctrl-C once half of it was read, or another mishap then."""

    after = 10

    def batches(self, size: int, log: ReadLog) -> Iterator[Any]:
        for number, batch in enumerate(super().batches(size, log)):
            if number == self.after:
                self.mishap()
            yield batch

    def mishap(self) -> None:
        raise KeyboardInterrupt


def test_an_interruption_keeps_what_they_found() -> None:
    results = run(Interrupted(CORPUS[::-1]), 2)
    assert results.interrupted
    assert results.exit_code == 2
    whole = {(f.detector, f.record) for f in run(ListReader(CORPUS), 1).findings if f.detector != "siblings"}
    read = {r.id for r in CORPUS[::-1][:50]}
    assert {(f.detector, f.record) for f in results.findings} == {(d, r) for d, r in whole if r in read} != set()


class Killing(Interrupted):
    after = 4

    def mishap(self) -> None:
        import psutil

        for child in psutil.Process().children():
            if "spawn_main" in " ".join(child.cmdline()):
                os.kill(child.pid, signal.SIGKILL)


def test_one_that_dies_is_no_pass() -> None:
    results = run(Killing(CORPUS), 2)
    assert "has died" in results.errors[0]
    assert results.exit_code == 2


def test_none_is_left_running() -> None:
    import psutil

    run(ListReader(CORPUS), 2)
    assert not [c for c in psutil.Process().children() if "spawn_main" in " ".join(c.cmdline())]
