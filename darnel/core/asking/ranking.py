"""Ask, recognise the plants in what comes back, and rank them; a tie always counts against the plant."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from darnel.core.asking.evidence import PlantIndex, Proof
from darnel.core.asking.funnel import BARE, Reached, all_sources, follow
from darnel.core.corpus import Reply, Retriever, Source
from darnel.core.plant import Plant
from darnel.core.planting.waiting import steadily

MOST_ASKED = 1_000
"""Sources asked for at the most when others' plants crowd a list."""
SAME_SCORE = 1e-6
"""Relative difference below which two scores are one: float32 has no more to say."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One place of a returned list: a record of the owner's (``plants`` empty) or planted."""

    source: Source
    plants: tuple[Plant, ...] = ()
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A returned list, recognised. ``entries`` leaves out what must not compete; ``dropped`` counts it.

    ``complete``: the list reaches as deep as was wanted, or the target has no more to give. ``searched``: the search was
    seen to take place. ``reached``: how far an application passed the plants on.
    ``spilled``: the first place of a plant of this campaign that was made for another query, strangers' plants not counted.
    """

    entries: tuple[Entry, ...]
    dropped: int
    complete: bool
    error: str | None = None
    searched: bool = False
    reached: Reached = BARE
    spilled: int | None = None

    def ids(self, k: int) -> list[str | None]:
        """Ids of the first ``k`` places."""
        return [e.source.id for e in self.entries[:k]]

    def own_ids(self, k: int) -> list[str | None]:
        """Ids of the owner's records among the first ``k`` places."""
        return [e.source.id for e in self.entries[:k] if not e.plants]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one plant came. ``rank`` counts ties against it; ``position`` is its place in the list as returned."""

    rank: int
    position: int
    proof: Proof


Keep = Callable[[Plant], bool]
"""Says whether a recognised plant may compete in this list."""


def recognise(reply: Reply, index: PlantIndex, keep: Keep, *, wanted: int, asked: int) -> Listing:
    """Recognise the plants of a reply and drop those that must not compete, foreign campaigns' among them."""
    entries: list[Entry] = []
    dropped = others = 0
    spilled: int | None = None
    sources, reached = all_sources(reply), follow(reply, index)
    for source in sources:
        match = index.match(source)
        if match is None:
            entries.append(Entry(source))
            continue
        kept = tuple(p for p in match.plants if keep(p))
        if kept:
            entries.append(Entry(source, kept, match.proof))
        else:
            dropped += 1
            others += bool(match.plants)
            if match.plants and spilled is None:
                spilled = len(entries) + others
    complete = len(entries) >= wanted or len(sources) < asked
    entries.extend(_seen_later(entries, reached, index, keep))
    return Listing(tuple(entries), dropped, complete, reply.error, reply.searched, reached, spilled)


def _seen_later(entries: Sequence[Entry], reached: Reached, index: PlantIndex, keep: Keep) -> Iterator[Entry]:
    """Plants that only the prompt or the answer shows: they were retrieved, by a search that nobody saw."""
    if later := (reached.in_prompt or frozenset()) | (reached.in_answer or frozenset()):
        listed = {p.id for e in entries for p in e.plants}
        for plant in index.by_ids(later - listed):
            if keep(plant):
                yield Entry(Source(), (plant,), "marker")


def place(listing: Listing, plant: Plant) -> Placement | None:
    """Where a plant stands in a list, or None if it is not in it."""
    for position, entry in enumerate(listing.entries, 1):
        if plant not in entry.plants or entry.proof is None:
            continue
        tied = sum(1 for e in listing.entries[position:] if not e.plants and _same(e.source.score, entry.source.score))
        return Placement(position + tied, position, entry.proof)
    return None


def ask(
    retriever: Retriever,
    texts: Sequence[str],
    index: PlantIndex,
    keeps: Sequence[Keep],
    *,
    depth: int,
    spare: int = 0,
    deepen: bool = True,
) -> list[Listing]:
    """Ask each text and recognise what comes back.

    Args:
        retriever: who answers.
        texts: the questions.
        index: the plants that are in the corpus now.
        keeps: for each question, which plants compete.
        depth: places wanted; one more is asked, to see a tie at the end.
        spare: places asked on top, for plants expected in every list.
        deepen: whether to ask again for more where a list is short because plants were dropped from it.
    """
    wanted, asked = depth + 1, depth + 1 + spare
    # a store is asked once more where it raises; an application's every question may cost money
    replies = (
        steadily(lambda: retriever.retrieve(list(texts), asked)) if deepen else retriever.retrieve(list(texts), asked)
    )
    lists = [recognise(r, index, keep, wanted=wanted, asked=asked) for r, keep in zip(replies, keeps, strict=True)]
    while deepen and asked < MOST_ASKED:
        short = [i for i, listing in enumerate(lists) if not listing.complete]
        if not short:
            break
        asked = min(asked * 2, MOST_ASKED)
        for i, reply in zip(short, retriever.retrieve([texts[i] for i in short], asked), strict=True):
            lists[i] = recognise(reply, index, keeps[i], wanted=wanted, asked=asked)
    return lists


def _same(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and math.isclose(a, b, rel_tol=SAME_SCORE, abs_tol=1e-12)
