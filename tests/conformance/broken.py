"""Every broken injector, and the run of the suite against one of them."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from . import broken_chroma, broken_memory
from .test_memory import MemoryFixtures

HERE = Path(__file__).parent
QUIET = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:timeout", "-p", "no:xdist"]


class BrokenMemoryFixtures(MemoryFixtures):
    patience: ClassVar[float] = 0.05
    examples: ClassVar[int] = 6
    shrink: ClassVar[bool] = False


def _subclasses(module: Any) -> dict[str, Any]:
    found = {name: c for name, c in vars(module).items() if isinstance(c, type) and issubclass(c, module.Broken)}
    return {name: c for name, c in found.items() if c is not module.Broken}


MEMORY, CHROMA = _subclasses(broken_memory), _subclasses(broken_chroma)
BROKEN: dict[str, Any] = {**MEMORY, **CHROMA}
SOUND = {"SoundMemory": broken_memory.Broken, "SoundChroma": broken_chroma.Broken}
"""What the broken ones are built on; these keep every promise."""


@dataclass
class Outcomes:
    """A pytest plugin that keeps which tests passed and which failed, in the order of the suite."""

    failed: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rsplit("::", 1)[1]
        if report.failed and name not in self.failed:
            self.failed.append(name)
        elif report.when == "call" and report.passed:
            self.passed.append(name)


def run_suite(name: str, tests: Iterable[str] = ()) -> Outcomes:
    """The conformance suite, or some of its tests, against one injector, in this process."""
    outcomes = Outcomes()
    node = f"{HERE / 'broken_suite.py'}::Test{name}"
    nodes = [f"{node}::{test}" for test in tests] or [node]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*QUIET, "-c", str(HERE / "inner.ini"), "--rootdir", str(HERE), *nodes], plugins=[outcomes])
    return outcomes
