"""Tell "not retrieved" from "the index missed it".

An approximate index can lose a record that it holds, most of all one of many planted at once. A plant that is not in a
list although it belongs there says nothing about the pattern, and is no pass.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import Listing, ask, place
from darnel.core.corpus import ExactScorer, Retriever, Wrapped
from darnel.core.plant import Plant

PROBE_DEPTHS = (10, 100)
"""An approximate index may miss at a shallow search what a deeper one finds; only what neither finds is unreachable."""
CLOSED_TRIES = 3
"""Plants that an application is asked for by their own text until it answers: one call that fails says nothing of it."""
MARGIN = 1e-5
"""Relative difference of scores that rounding can explain."""


@dataclass(frozen=True, slots=True)
class Row:
    """One query, its list, and the plants that were made for it."""

    query: str
    listing: Listing
    plants: tuple[Plant, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """Why a plant's absence from its query's list says nothing. ``rank``: where an exact search would put it at best."""

    rank: int
    why: str


def find_unreachable(retriever: Retriever, rows: Sequence[Row], visible: Set[str], depth: int) -> dict[str, Lost]:
    """Plant id → how it was lost; plants that do not belong in their list are not in it."""
    quiet = [(row, p) for row in rows for p in row.plants if p.id in visible and place(row.listing, p) is None]
    if not quiet:
        return {}
    if isinstance(retriever, Wrapped):  # what a defence left out is not lost; what its inner retriever missed may be
        return find_unreachable(retriever.inner, _asked_inside(retriever.inner, quiet, depth), visible, depth)
    if isinstance(retriever, ExactScorer):
        scores = retriever.exact_scores([row.query for row, _ in quiet], [p for _, p in quiet])
        if scores is not None:
            return _missed(quiet, scores, depth)
    return _probe(retriever, [p for _, p in quiet])


def _asked_inside(inner: Retriever, quiet: Sequence[tuple[Row, Plant]], depth: int) -> list[Row]:
    """The rows of the plants that are not in their list, with the lists that the inner retriever gives."""
    texts = list(dict.fromkeys(row.query for row, _ in quiet))
    plants = {text: tuple(p for row, p in quiet if row.query == text) for text in texts}
    index = PlantIndex([p for group in plants.values() for p in group])
    # the others' plants are left out, as they are from the lists that are scored
    keeps = [lambda p, mine=frozenset(q.id for q in plants[text]): p.id in mine for text in texts]
    lists = ask(inner, texts, index, keeps, depth=depth)
    return [Row(text, listing, plants[text]) for text, listing in zip(texts, lists, strict=True)]


def closed_to(retriever: Retriever, rows: Sequence[Row], visible: Set[str]) -> str | None:
    """Why an application that returned no plant at all cannot be believed, if so: it does not even return one that it is
    asked for by the plant's own text, as an engine does that pinned its nodes when it was made. The marker is left out of
    the question, which stands in the prompt and may stand in the answer.
    """
    plants = [p for row in rows for p in row.plants if p.id in visible]
    if not plants or any(place(row.listing, p) is not None for row in rows for p in row.plants):
        return None
    if not any(row.listing.searched or row.listing.entries for row in rows):
        return None  # it shows no sources, and its rows say so
    index, error = PlantIndex(plants), None
    for plant in plants[:CLOSED_TRIES]:
        text = plant.text.replace(plant.marker, "")
        listing = ask(retriever, [text], index, [_any], depth=1, deepen=False)[0]
        if any(e.plants for e in listing.entries):
            return None
        if not listing.error:
            return (
                "unreachable: the store holds the plants, and the application did not return one even when asked by its "
                "very text; it may search a stale snapshot, a cache, another store, or rewrite the question"
            )
        error = listing.error
    return f"unreachable: no plant came back, and whether one could was not to be told: {error}"


def _missed(quiet: Sequence[tuple[Row, Plant]], scores: Sequence[float], depth: int) -> dict[str, Lost]:
    """Plants whose exact score beats the list's place ``depth`` (or any at all, where the list is shorter)."""
    missed: dict[str, Lost] = {}
    for (row, plant), score in zip(quiet, scores, strict=True):
        better = [
            e for e in row.listing.entries if e.source.score is None or e.source.score >= score - MARGIN * abs(score)
        ]
        if len(better) < depth:
            rank = len(better) + 1
            why = f"an exact search would put it at rank {rank} and the store's did not return it (approximate index)"
            missed[plant.id] = Lost(rank, f"unreachable: {why}")
    return missed


def _probe(retriever: Retriever, plants: Sequence[Plant]) -> dict[str, Lost]:
    """Plants that the store shows by id while its search does not find them even by their own text."""
    hidden = list(plants)
    for depth in PROBE_DEPTHS:
        if not hidden:
            break
        texts, keeps = [p.text for p in hidden], [_any] * len(hidden)
        lists = ask(retriever, texts, PlantIndex(hidden), keeps, depth=depth, deepen=False)
        hidden = [p for p, listing in zip(hidden, lists, strict=True) if place(listing, p) is None]
    why = "unreachable: the store holds it, but its search does not find it by its own text"
    return {p.id: Lost(1, why) for p in hidden}


def _any(_plant: Plant) -> bool:
    return True
