"""The guard: a promise counts as kept only where its own test ran, or was waived in the open."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from typing import Any

PACKAGE = "darnel.testing"


def find_faults(cls: type, scenarios: type, promises: Sequence[type], *, strict: bool) -> list[str]:
    """What a test class, and the module it stands in, did to the suite; empty where nothing is wrong.

    ``scenarios``: the base whose fixtures nobody overrides. ``promises``: the classes that a module must have.
    ``strict``: whether ``xfail`` is strict by configuration.
    """
    return [*_overridden_fixtures(cls, scenarios), *_overridden_tests(cls, strict), *_missing_promises(cls, promises)]


def standard_tests(cls: type) -> dict[str, Any]:
    """Name → function of every test that ``darnel.testing`` gives to a class."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if _is_ours(base):
            found.update((name, value) for name, value in vars(base).items() if name.startswith("test_"))
    return found


def _is_ours(cls: type) -> bool:
    return cls.__module__ == PACKAGE or cls.__module__.startswith(f"{PACKAGE}.")


def _overridden_fixtures(cls: type, scenarios: type) -> Iterator[str]:
    for name, own in vars(scenarios).items():
        if (
            not name.startswith("_")
            and not name.startswith("test_")
            and inspect.getattr_static(cls, name, None) is not own
        ):
            yield f"{cls.__name__} overrides {name}, which is part of the suite; delete it"


def _overridden_tests(cls: type, strict: bool) -> Iterator[str]:
    for name, standard in standard_tests(cls).items():
        actual = inspect.getattr_static(cls, name, None)
        if actual is standard:
            continue
        if not callable(actual):
            yield f"{cls.__name__} drops {name}"
        elif problem := _waiver_problem(getattr(actual, "pytestmark", []), strict):
            yield f"{cls.__name__} overrides {name} {problem}"


def _waiver_problem(marks: list[Any], strict: bool) -> str | None:
    """Why an override is no waiver in the open; None where it is one."""
    if any(mark.name in ("skip", "skipif") for mark in marks):
        return "and skips it; use xfail(strict=True, reason=...)"
    waivers = [mark for mark in marks if mark.name == "xfail"]
    if not waivers:
        return "without xfail(strict=True, reason=...)"
    given = waivers[0].kwargs
    if not str(given.get("reason") or "").strip():
        return "without a reason"
    if given.get("run") is False:
        return "and does not run it"
    return None if given.get("strict", strict) else "with an xfail that is not strict"


def _same(a: type, b: type, name: str) -> bool:
    return inspect.getattr_static(a, name, None) is inspect.getattr_static(b, name, None)


def _missing_promises(cls: Any, promises: Sequence[type]) -> Iterator[str]:
    """Promises that no test class of the module covers for the same store."""
    if not promises:
        yield f"{cls.__module__} imports its promises from a module of theirs; import them from {PACKAGE}"
    module = sys.modules.get(cls.__module__)
    siblings = [
        other
        for name, other in vars(module).items()
        if name.startswith("Test") and isinstance(other, type) and getattr(other, "__test__", True)
    ]
    mine = [other for other in {*siblings, cls} if all(_same(other, cls, part) for part in ("store", "open"))]
    for promise in promises:
        if not any(issubclass(other, promise) for other in mine):
            yield f"no test class of {cls.__module__} has {promise.__name__}; add it, or use ConformanceSuite"
