"""The suite can fail: every injector that breaks a promise is caught, by the tests that the table in the docs names."""

from __future__ import annotations

import pytest

from .broken import BROKEN, SOUND, run_suite
from .table import abilities, block, documented, promises, sentence


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_injector_is_caught(name: str) -> None:
    """Each test that the table names for it fails against it; the first is the one written for that fault."""
    described, tests = documented()[name]
    assert described == sentence(name), "run: make conformance"
    assert tests[0] == BROKEN[name].caught_by, "run: make conformance"
    outcomes = run_suite(name, tests)
    assert sorted(outcomes.failed) == sorted(tests), "run: make conformance"


@pytest.mark.parametrize("name", SOUND)
def test_what_they_are_built_on_keeps_every_promise(name: str) -> None:
    outcomes = run_suite(name)
    assert not outcomes.failed
    assert len(outcomes.passed) > 90


def test_the_table_has_every_broken_injector_and_no_other() -> None:
    assert list(documented()) == list(BROKEN)
    assert len(BROKEN) >= 20


def test_the_promises_and_abilities_are_those_of_the_code() -> None:
    assert block("promises") == promises(), "run: make conformance"
    assert block("abilities") == abilities(), "run: make conformance"
