"""Fixtures: what reached a model, emptied before each test."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

pytest.importorskip("langchain", reason="the applications need langchain")
pytest.importorskip("langchain_classic", reason="the applications need langchain-classic")
pytest.importorskip("langgraph", reason="the applications need langgraph")

from tests.apps.langchain.zoo import parts

QUESTIONS = (
    "When does the harbour open its gates?",
    "Who lends maps and atlases?",
    "How long do apples of the orchard keep?",
)


@pytest.fixture
def spent() -> list[str]:
    parts.spent.clear()
    return parts.spent


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Much of what applications still use is announced to end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
