"""The first three places of each list, and what is measured on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from darnel.core.queries import Query
from darnel.core.stats import Rate, rate


@dataclass(frozen=True, slots=True)
class Item:
    """One returned document. ``relevance``: what the retriever gave it; ``final``: what it is ranked by, after the defence
    where there is one. ``trust``: from 0 to 1, as its metadata claims. ``place_before``: its place in the ordinary list.
    """

    id: str
    title: str
    source: str
    text: str
    trust: float
    suspicious: bool
    relevance: float
    final: float
    place_before: int
    attack: bool
    expected: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one question brought, best first."""

    query: Query
    attacked: bool
    items: tuple[Item, ...]

    def has_attack(self, k: int) -> bool:
        """Whether a planted document is among the first ``k``."""
        return any(item.attack for item in self.items[:k])

    @property
    def retained(self) -> bool:
        """Whether the trusted document that answers the question is in the list."""
        return any(item.expected for item in self.items)


@dataclass(frozen=True, slots=True)
class View:
    """One retriever's lists for all questions."""

    lists: tuple[Ranked, ...]

    def attack_at(self, k: int) -> Rate:
        """Share of the attacked questions with a planted document among the first ``k``."""
        return _share((one for one in self.lists if one.attacked), lambda one: one.has_attack(k))

    @property
    def spill(self) -> Rate:
        """Share of the other questions with a planted document in the list."""
        return _share((one for one in self.lists if not one.attacked), lambda one: one.has_attack(len(one.items)))

    @property
    def retained(self) -> Rate:
        """Share of all questions whose trusted document is in the list."""
        return _share(self.lists, lambda one: one.retained)

    @property
    def average_trust(self) -> float:
        """Mean trust of everything returned."""
        trusts = [item.trust for one in self.lists for item in one.items]
        return sum(trusts) / len(trusts) if trusts else 0.0


def _share(lists: Iterable[Ranked], holds: Callable[[Ranked], bool]) -> Rate:
    answers = [holds(one) for one in lists]
    return rate(sum(answers), len(answers))
