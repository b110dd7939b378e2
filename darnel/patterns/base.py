"""A pattern in its plainest form: a name, a sentence, and a function from request to text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from darnel.core.pattern import CraftRequest


def _one(_strength: int) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pattern whose text is made by one function; see ``darnel.core.pattern.Pattern`` for the fields."""

    name: str
    summary: str
    dose: str
    text: Callable[[CraftRequest], str]
    default_strength: int = 1
    is_control: bool = False
    needs_passages: bool = False
    plants: Callable[[int], int] = _one

    def copies(self, strength: int) -> int:
        """See ``Pattern.copies``."""
        return self.plants(strength)

    def craft(self, request: CraftRequest) -> str:
        """See ``Pattern.craft``."""
        return self.text(request)
