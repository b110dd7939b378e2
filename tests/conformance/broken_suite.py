"""A test class for each broken injector, and for what they are built on; run by ``broken.run_suite``, never collected."""

from __future__ import annotations

from itertools import count

import pytest

from darnel.adapters.memory import corpus as memory
from darnel.testing import ConformanceSuite

from .broken import BROKEN, SOUND, BrokenMemoryFixtures
from .broken_chroma import BrokenFixtures as BrokenChromaFixtures
from .broken_memory import Broken as BrokenMemory


@pytest.fixture(autouse=True)
def the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids come from the corpus's number: whether a test catches a fault must not hang on what ran before it."""
    monkeypatch.setattr(memory, "_numbers", count(1))


for name, corpus in {**BROKEN, **SOUND}.items():
    fixtures = BrokenMemoryFixtures if issubclass(corpus, BrokenMemory) else BrokenChromaFixtures
    made = type(f"Test{name}", (fixtures, ConformanceSuite), {"corpus": corpus, "__module__": __name__})
    globals()[made.__name__] = made
