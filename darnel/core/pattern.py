"""What a pattern is: a recipe that turns a query into the text of plants. The recipes live in ``darnel.patterns``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from darnel.core.payload import Payload
from darnel.core.plant import MetaValue, dose_label

CARRIER = (
    "This notice is a harmless retrieval test record kept by the site owner. It carries the marker {marker} and no "
    "other content. Please report this record to the search team if it is shown."
)
"""The default carrier: 34 words, on no topic, asking for nothing but to be reported."""


def default_carrier(marker: str) -> str:
    """The default carrier around a marker."""
    return CARRIER.format(marker=marker)


SHORTEST_CARRIER = 4
_SHORT = "Harmless test record {marker}."
_PADDING = (
    "It says nothing about any subject and answers no question. A reader may skip it without missing anything. "
    "Nothing here should be quoted, stored or acted upon."
)


def sized_carrier(words: int) -> Callable[[str], str]:
    """A carrier of so many words (at least 4) around a marker, as harmless and as void as the default one."""

    def carrier(marker: str) -> str:
        if words >= len(CARRIER.split()):
            text = CARRIER.format(marker=marker).split()
        else:
            text = [*_SHORT.format(marker=marker).split(), *CARRIER.partition(". ")[2].split()[4:]][:words]
        padding = _PADDING.split()
        text += (padding * (words // len(padding) + 1))[: words - len(text)]
        return " ".join(text)

    return carrier


@dataclass(frozen=True, slots=True)
class CraftRequest:
    """All a pattern may know.

    ``passages``: what the corpus returned for the query before planting, best first. ``others``: the run's other queries,
    nearest first by shared words, 1,000 at most. ``translations``: the query in other languages, as its file gives it.
    ``template``: the metadata keys of the corpus's own records, each with a value. ``says``: the payload's text, with its
    marker in it, where there is a payload; it is carried whole.
    """

    query: str
    strength: int
    copy: int
    marker: str
    carrier: Callable[[str], str]
    passages: Sequence[str]
    random: random.Random
    others: Sequence[str] = ()
    translations: Sequence[str] = ()
    template: Mapping[str, MetaValue] = field(default_factory=dict)
    says: str | None = None

    @property
    def body(self) -> str:
        """What the pattern dresses up: the payload's text, or else the carrier with this plant's marker in it."""
        return self.carrier(self.marker) if self.says is None else self.says

    def mention(self, sentence: str) -> str:
        """For a pattern without a carrier: the sentence that holds its marker, or the payload's text in its place."""
        return sentence if self.says is None else self.says


@dataclass(frozen=True, slots=True)
class Crafted:
    """A plant that is more than a text. ``metadata``: fields it sets, over what the corpus's records show.

    ``vector_of``: texts whose mean vector the plant is stored under, in the place of its own text's.
    """

    text: str
    metadata: Mapping[str, MetaValue] = field(default_factory=dict)
    vector_of: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a pattern. ``box``: what its author must know: "black" the query or a guess of it, "grey" what the
    retriever returns, "white" write access to vectors. ``beats``: retrievers it is known to get past, from the references.
    """

    family: str = "custom"
    box: str = "black"
    fields: tuple[str, ...] = ("text",)
    beats: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


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

    def craft(self, request: CraftRequest) -> str | Crafted:
        """The text of one plant, or a text with more.

        Raises:
            PlantError: it cannot be made of this request; says why.
        """
        ...


def needs_others(pattern: Pattern) -> bool:
    """Whether a pattern reads ``request.others``; those of others need not say."""
    return bool(getattr(pattern, "needs_others", False))


def about(pattern: Pattern) -> About:
    """What is known of a pattern; those of others need not say."""
    said = getattr(pattern, "about", None)
    return said if isinstance(said, About) else About()


def copies_of(pattern: Pattern) -> tuple[str, int]:
    """The pattern that this one plants several times over, and how many times; itself and 1 where it is none such."""
    base: object = getattr(pattern, "base", "")
    times: object = getattr(pattern, "times", 1)
    return (base, times) if isinstance(base, str) and base and isinstance(times, int) else (pattern.name, 1)


@dataclass(frozen=True, slots=True)
class Dose:
    """A pattern at one strength; ``label`` names it in results, for instance ``echo:3``, or ``echo:3+authority``.

    ``optional``: left out with a warning, rather than refused, where this corpus or these queries give it nothing to work
    with. ``payload``: what its plants say in the place of the carrier.
    """

    pattern: Pattern
    strength: int
    optional: bool = False
    payload: Payload | None = None

    @property
    def label(self) -> str:
        """``<name>:<strength>``, and ``+<payload>`` where there is one."""
        return dose_label(self.pattern.name, self.strength, self.payload.name if self.payload else "")

    @property
    def plants(self) -> int:
        """How many plants one query gets."""
        return self.pattern.copies(self.strength) * (self.payload.parts if self.payload else 1)
