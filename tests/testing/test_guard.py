"""The guard sees every way around a promise; the suite itself is complete and says what to look at."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from darnel.testing import PROMISES, ConformanceFixtures, ConformanceSuite, Declared
from darnel.testing.declared import sentences
from darnel.testing.guard import find_faults, standard_tests
from darnel.testing.scenarios import Scenarios

NAME = "test_remove_twice"


class Fixtures(ConformanceFixtures):
    """An author's."""


@pytest.fixture
def author() -> Iterator[Any]:
    """Define a test class in a module of its own, and see what the guard says."""
    module = ModuleType("an_authors_module")
    sys.modules[module.__name__] = module

    def faults(
        *bases: type, name: str = "TestMine", promises: Any = PROMISES, strict: bool = False, **members: Any
    ) -> list[str]:
        made = type(name, (Fixtures, *bases), {"__module__": module.__name__, **members})
        setattr(module, name, made)
        return find_faults(made, Scenarios, promises, strict=strict)

    yield faults
    del sys.modules[module.__name__]


def override(*marks: pytest.MarkDecorator) -> Any:
    def test(self: object) -> None: ...

    for mark in marks:
        test = mark(test)
    return test


def test_a_whole_suite_is_in_order(author: Any) -> None:
    assert author(ConformanceSuite) == []


def test_a_test_of_ones_own_is_in_order(author: Any) -> None:
    assert author(ConformanceSuite, test_of_my_own=override()) == []


def test_a_strict_waiver_with_a_reason_is_in_order(author: Any) -> None:
    waived = override(pytest.mark.xfail(strict=True, reason="the store cannot"))
    assert author(ConformanceSuite, **{NAME: waived}) == []
    lenient = override(pytest.mark.xfail(reason="the store cannot"))
    assert author(ConformanceSuite, strict=True, **{NAME: lenient}) == []


@pytest.mark.parametrize(
    ("member", "says"),
    [
        (override(), "without xfail"),
        (None, "drops"),
        (override(pytest.mark.skip(reason="later")), "skips it"),
        (override(pytest.mark.skipif(True, reason="later")), "skips it"),
        (override(pytest.mark.xfail(strict=True)), "without a reason"),
        (override(pytest.mark.xfail(strict=True, reason="  ")), "without a reason"),
        (override(pytest.mark.xfail(reason="the store cannot")), "not strict"),
        (override(pytest.mark.xfail(strict=True, run=False, reason="hangs")), "does not run it"),
        (override(pytest.mark.skip(), pytest.mark.xfail(strict=True, reason="so")), "skips it"),
    ],
)
def test_any_other_override_is_named(author: Any, member: Any, says: str) -> None:
    (fault,) = author(ConformanceSuite, **{NAME: member})
    assert NAME in fault
    assert says in fault


def test_an_override_in_a_base_of_the_authors_is_named(author: Any) -> None:
    class Between(ConformanceSuite):
        def test_remove_twice(self) -> None: ...

    (fault,) = author(Between)
    assert NAME in fault


def test_overridden_scenarios_are_named(author: Any) -> None:
    (fault,) = author(ConformanceSuite, sow=lambda self, injector, plants: plants)
    assert "overrides sow" in fault


def test_a_promise_without_a_class_is_named(author: Any) -> None:
    for number, promise in enumerate(PROMISES[:-1]):
        faults = author(promise, name=f"Test{number}")
    (fault,) = faults
    assert PROMISES[-1].__name__ in fault
    assert author(PROMISES[-1], name="TestLast") == []


def test_a_class_that_pytest_passes_over_does_not_count(author: Any) -> None:
    author(ConformanceSuite, name="TestOff", __test__=False)
    assert len(author(PROMISES[0])) == len(PROMISES) - 1


def test_a_guard_that_knows_no_promise_says_so(author: Any) -> None:
    (fault,) = author(PROMISES[0], promises=())
    assert "import them from darnel.testing" in fault


def test_importing_any_promise_tells_the_guard_of_all(tmp_path: Path) -> None:
    code = "from darnel.testing import Removing; print(len(Removing.promises))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert int(found.stdout) == len(PROMISES)


def test_the_suite_is_all_promises() -> None:
    assert ConformanceSuite.__bases__ == PROMISES


def test_no_two_promises_share_a_name() -> None:
    """In the class that joins them, one would hide the other."""
    own = [name for promise in PROMISES for name in vars(promise) if not name.startswith("__")]
    assert len(own) == len(set(own))
    assert not set(own) & set(vars(Scenarios)) - {"__module__"}


@pytest.mark.parametrize("name", standard_tests(ConformanceSuite))
def test_every_test_says_what_to_look_at(name: str) -> None:
    text = standard_tests(ConformanceSuite)[name].__doc__
    assert text
    last = " ".join(text.strip().split("\n\n")[-1].split())
    assert last.startswith("If it fails, look at ")
    assert last.endswith(".")


def test_every_ability_has_its_sentence() -> None:
    assert sentences().keys() == {item.name for item in fields(Declared)}
    assert all(text.endswith(".") for text in sentences().values())
