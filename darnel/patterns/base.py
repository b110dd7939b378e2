"""A pattern in its plainest form: a name, a sentence, and a function from request to text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from darnel.core.pattern import About, Crafted, CraftRequest

CUSTOM = About()


def _one(_strength: int) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pattern whose text is made by one function; see ``darnel.core.pattern.Pattern`` for the fields."""

    name: str
    summary: str
    dose: str
    text: Callable[[CraftRequest], str | Crafted]
    default_strength: int = 1
    is_control: bool = False
    needs_passages: bool = False
    needs_others: bool = False
    plants: Callable[[int], int] = _one
    about: About = CUSTOM

    def copies(self, strength: int) -> int:
        """See ``Pattern.copies``."""
        return self.plants(strength)

    def craft(self, request: CraftRequest) -> str | Crafted:
        """See ``Pattern.craft``."""
        return self.text(request)


def pattern(
    *,
    summary: str,
    dose: str = "strength",
    name: str = "",
    default_strength: int = 1,
    plants: Callable[[int], int] = _one,
    needs_passages: bool = False,
    about: About = CUSTOM,
) -> Callable[[Callable[[CraftRequest], str | Crafted]], Recipe]:
    """Make a pattern of a function from request to text; its name is the function's, with hyphens.

    The function must put ``request.marker`` into the text; ``request.body`` is the carrier with the marker in it.
    """

    def make(text: Callable[[CraftRequest], str | Crafted]) -> Recipe:
        return Recipe(
            name=name or text.__name__.strip("_").replace("_", "-").lower(),
            summary=summary if summary.endswith(".") else f"{summary}.",
            dose=dose,
            text=text,
            default_strength=default_strength,
            needs_passages=needs_passages,
            plants=plants,
            about=about,
        )

    return make
