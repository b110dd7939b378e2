"""A pattern in its plainest form: a name, a sentence, and a function from request to text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from darnel.core.pattern import About, Crafted, CraftRequest, Pattern, needs_others
from darnel.core.pattern import about as known_of

CUSTOM = About()


def _one(_strength: int) -> int:
    return 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """A pattern whose text is made by one function; see ``darnel.core.pattern.Pattern`` for the fields.

    ``times``: how often each of its documents is planted, if ``base`` names a pattern that this one repeats.
    """

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
    base: str = ""
    times: int = 1

    def copies(self, strength: int) -> int:
        """See ``Pattern.copies``."""
        return self.plants(strength)

    def craft(self, request: CraftRequest) -> str | Crafted:
        """See ``Pattern.craft``."""
        return self.text(request)


def repeated(inner: Pattern, times: int) -> Pattern:
    """A pattern whose every document is planted ``times`` over, each under an id and a marker of its own: ``echo*5``."""
    if times == 1:
        return inner
    return Recipe(
        name=f"{inner.name}*{times}",
        summary=f"{inner.summary.removesuffix('.')}; {times} times over.",
        dose=inner.dose,
        text=inner.craft,
        default_strength=inner.default_strength,
        needs_passages=inner.needs_passages,
        needs_others=needs_others(inner),
        plants=lambda strength: times * inner.copies(strength),
        about=known_of(inner),
        base=inner.name,
        times=times,
    )


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
