"""What a pattern is: a recipe that turns a query into the text of plants. The recipes live in ``darnel.patterns``."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

CARRIER = (
    "This notice is a harmless retrieval test record kept by the site owner. It carries the marker {marker} and no "
    "other content. Please report this record to the search team if it is shown."
)
"""The default carrier: 34 words, on no topic, asking for nothing but to be reported."""


def default_carrier(marker: str) -> str:
    """The default carrier around a marker."""
    return CARRIER.format(marker=marker)


@dataclass(frozen=True, slots=True)
class CraftRequest:
    """All a pattern may know. ``passages``: what the corpus returned for the query before planting, best first."""

    query: str
    strength: int
    copy: int
    marker: str
    carrier: Callable[[str], str]
    passages: Sequence[str]
    random: random.Random

    @property
    def body(self) -> str:
        """The carrier with this plant's marker in it."""
        return self.carrier(self.marker)


@runtime_checkable
class Pattern(Protocol):
    """One recipe; must put ``request.marker`` into every text it crafts."""

    @property
    def name(self) -> str:
        """Lower-case name, as on the command line."""
        ...

    @property
    def summary(self) -> str:
        """One sentence: what it does to the text."""
        ...

    @property
    def dose(self) -> str:
        """What the strength counts, for instance 'copies of the query'."""
        ...

    @property
    def default_strength(self) -> int:
        """Strength where none is given."""
        ...

    @property
    def is_control(self) -> bool:
        """True for the two controls that all others are measured against."""
        ...

    @property
    def needs_passages(self) -> bool:
        """Whether ``request.passages`` is read."""
        ...

    def copies(self, strength: int) -> int:
        """How many plants one query gets."""
        ...

    def craft(self, request: CraftRequest) -> str:
        """The text of one plant."""
        ...


@dataclass(frozen=True, slots=True)
class Dose:
    """A pattern at one strength; ``label`` names it in results, for instance ``echo:3``."""

    pattern: Pattern
    strength: int

    @property
    def label(self) -> str:
        """``<name>:<strength>``."""
        return f"{self.pattern.name}:{self.strength}"
