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


PATIENT = {name: {"patience": 2.0} for name in SOUND}
"""Where nothing may fail, a slow machine is waited for; a broken injector would only be waited out."""

for name, corpus in {**BROKEN, **SOUND}.items():
    fixtures = BrokenMemoryFixtures if issubclass(corpus, BrokenMemory) else BrokenChromaFixtures
    own = {"corpus": corpus, "__module__": __name__, **PATIENT.get(name, {})}
    made = type(f"Test{name}", (fixtures, ConformanceSuite), own)
    globals()[made.__name__] = made
