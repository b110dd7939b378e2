"""Every broken injector, and the run of the suite against one of them."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from . import broken_chroma, broken_memory
from .test_memory import MemoryFixtures

INI = Path(__file__).with_name("inner.ini")
SUITE = Path(__file__).with_name("broken_suite.py")


class BrokenMemoryFixtures(MemoryFixtures):
    patience: ClassVar[float] = 0.05
    examples: ClassVar[int] = 6
    shrink: ClassVar[bool] = False


def _subclasses(module: Any) -> dict[str, Any]:
    return {
        name: c
        for name, c in vars(module).items()
        if isinstance(c, type) and issubclass(c, module.Broken) and c is not module.Broken
    }


MEMORY, CHROMA = _subclasses(broken_memory), _subclasses(broken_chroma)
BROKEN: dict[str, Any] = {**MEMORY, **CHROMA}


@dataclass
class Outcomes:
    """A pytest plugin that keeps the names of the tests that failed."""

    failed: set[str] = field(default_factory=set)
    passed: int = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid.rsplit("::", 1)[1])
        elif report.when == "call" and report.passed:
            self.passed += 1


def run_suite(name: str) -> Outcomes:
    """The whole conformance suite against one injector, in this process."""
    outcomes = Outcomes()
    quiet = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-p", "no:timeout", "-p", "no:xdist"]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*quiet, "-c", str(INI), "--rootdir", str(INI.parent), f"{SUITE}::Test{name}"], plugins=[outcomes])
    return outcomes
