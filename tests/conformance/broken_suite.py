"""A test class for each broken injector, and for what they are built on; run by ``broken.run_suite``, never collected."""

from __future__ import annotations

from darnel.testing import ConformanceSuite

from .broken import BROKEN, SOUND, BrokenMemoryFixtures
from .broken_chroma import BrokenFixtures as BrokenChromaFixtures
from .broken_memory import Broken as BrokenMemory

for name, corpus in {**BROKEN, **SOUND}.items():
    fixtures = BrokenMemoryFixtures if issubclass(corpus, BrokenMemory) else BrokenChromaFixtures
    made = type(f"Test{name}", (fixtures, ConformanceSuite), {"corpus": corpus, "__module__": __name__})
    globals()[made.__name__] = made
