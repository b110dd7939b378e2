"""A test class for each broken injector, and one for each sound base; run by ``broken.run_suite``, never collected."""

from __future__ import annotations

from darnel.testing import ConformanceSuite

from . import broken_chroma, broken_memory
from .broken import CHROMA, MEMORY, BrokenMemoryFixtures

for name, corpus in {**MEMORY, "SoundMemory": broken_memory.Broken}.items():
    parts = {"corpus": corpus, "__module__": __name__}
    globals()[f"Test{name}"] = type(f"Test{name}", (BrokenMemoryFixtures, ConformanceSuite), parts)
for name, corpus in {**CHROMA, "SoundChroma": broken_chroma.Broken}.items():
    parts = {"corpus": corpus, "__module__": __name__}
    globals()[f"Test{name}"] = type(f"Test{name}", (broken_chroma.BrokenFixtures, ConformanceSuite), parts)
