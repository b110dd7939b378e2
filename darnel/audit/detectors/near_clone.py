"""A record of the corpus once more, with something between its lines that the record does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from darnel.audit.batch import Batch
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.minhash import FEWEST_SHINGLES, known_of, mixed, packed, unpacked
from darnel.audit.model import Finding, Severity, excerpt
from darnel.audit.tokens import (
    MOST_WORDS,
    Numbers,
    Places,
    first_of_each,
    hash_of,
    numbers_of,
    record_of,
    triple_hashes,
)

SKETCH = 16
"""Smallest hashes kept of each text (a MinHash of the bottom-k kind), of 4 bytes; with the text's own, 72 bytes a record."""
SHARED = 4
"""Of them that two texts have in common if one is a clone, even of no more than a part."""
MOST_ALIKE = 5
"""Texts with one hash in common above which it is a turn of phrase, or a family of pages."""
FEWEST_KEPT = 12
"""Words of the host that a clone keeps at the least, and half of its own."""
MOST_LOST = 0.01
"""Share of the host's words, between the first and the last kept, that a clone may leave out or alter."""
FEWEST_INSERTED = 3
SHORTEST_KEPT = 6
MOST_RUNS = 2
"""Places at which a clone has something of its own: versions of a page differ all over."""
USUAL = 0.1
"""Share of texts that are alike, clones and their hosts left out, above which versions are how this corpus is made."""
PARTS = 10
"""Of the alert budget: what clones may use up there."""
MOST_PAIRS = 4_000_000
"""Pairs with a hash in common that are held at once, of 8 bytes; where there are more, some are drawn of them."""
_PARTS = 16
"""The hashes are sorted a sixteenth at a time, in so much less memory."""
MOST_HELD = 20_000
"""Candidates whose text is held in the second pass."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a clone has that its host does not: runs of words, ``start`` to ``end``.

    ``inside``: whether one stands between words of the host, and not only before or after them.
    """

    runs: tuple[tuple[int, int], ...]
    inside: bool
    kept: float
    """Share of the clone's words that are the host's."""


class Laid:
    """A text to be laid over another, by the numbers of its words."""

    def __init__(self, words: Numbers) -> None:
        self.words = words
        self.triples = triple_hashes(words)
        self.ordered = np.sort(self.triples)

    def kept(self, other: Laid) -> NDArray[np.bool_]:
        """Which words belong to a triple that the other text has too."""
        known, _ = known_of(other.ordered, self.triples)
        kept = np.zeros(len(self.words), dtype=bool)
        for at in range(3):
            kept[known + at] = True
        return kept


@dataclass(slots=True)
class _Held:
    """A candidate: its text, and the records that have it word for word."""

    text: str
    prose: str
    laid: Laid
    refs: list[Ref]


class NearClone(BaseDetector):
    """Candidates by their smallest word-triple hashes in a first pass, laid over each other word by word after a second."""

    name = "near-clone"
    summary = "Copies of another record of the corpus with a few words of their own in between."
    blind = (
        "Clones that alter one word in twenty, or more than double their host; hosts of fewer than 14 words; more than "
        "five like texts; and clones in a corpus that is full of versions of its own pages."
    )
    advice = "Compare the two records: read what stands in this one alone, and keep the one from the source."
    learns = True
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._seen = self._alike = 0
        self._sketches: list[tuple[NDArray[np.uint32], Numbers]] = []
        self._near: dict[int, set[int]] = {}
        self._wanted = np.zeros(0, np.uint64)
        self._held: dict[int, _Held] = {}

    def learn(self, batch: Batch) -> None:
        """Keep the sketch of every text."""
        self._seen += len(batch)
        keys = batch.shingles
        record = record_of(keys)
        counts = np.bincount(record, minlength=len(batch))
        place = np.arange(len(keys)) - (np.cumsum(counts) - counts)[record]
        kept = place < SKETCH
        sketches = np.zeros((len(batch), SKETCH), np.uint32)
        sketches[record[kept], place[kept]] = hash_of(
            keys[kept]
        )  # the lower half, for the upper one is small in all of them
        enough = counts >= FEWEST_SHINGLES
        self._sketches.append((sketches[enough], batch.digests[enough]))

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        self._seen += other._seen
        self._sketches += other._sketches

    def looks_again(self) -> bool:
        """Only where texts have enough in common."""
        texts, one, two = _often_met(self._sketches)
        self._sketches = []
        degree = np.bincount(np.concatenate([one, two]), minlength=len(texts))
        chosen = np.flatnonzero(degree)
        self._alike = len(chosen)
        chosen = chosen[np.argsort(degree[chosen], kind="stable")][:MOST_HELD]
        self._wanted = np.sort(texts[chosen])
        inside = np.isin(one, chosen) & np.isin(two, chosen)
        for a, b in zip(texts[one[inside]].tolist(), texts[two[inside]].tolist(), strict=True):
            self._near.setdefault(a, set()).add(b)
            self._near.setdefault(b, set()).add(a)
        return bool(self._near)

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """Hold the text of candidates; nothing can be told before all are seen."""
        known, at = known_of(self._wanted, batch.digests)
        for entry, key in zip(batch.picked(known).entries, self._wanted[at].tolist(), strict=True):
            if key not in self._held:
                words = numbers_of(entry.words[:MOST_WORDS])
                self._held[key] = _Held(entry.text, entry.prose, Laid(words), [])
            self._held[key].refs.append(Ref(entry.id, entry.source))
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """Every clone; where they are how this corpus is made, only as many as the budget allows."""
        clones = self._clones()
        part = {key for key, _, _ in clones} | {host for _, host, _ in clones}
        alike = self._alike - len(part)
        usual = alike > USUAL * self._seen
        left = round(self.context.budget / PARTS * self._seen) if usual else self._seen
        said = f" Another {alike} of {self._seen} texts here are nearly alike; few are shown." if usual else ""
        for key, host, overlay in clones:
            left -= len(self._held[key].refs)
            if left < 0:
                return
            yield from self._tell(key, host, overlay, said, low=usual)

    def _clones(self) -> list[tuple[int, int, Overlay]]:
        """Clone, host and difference; the likest first."""
        found = []
        for key in self._held:
            overlays = [
                (host, o) for host in self._near.get(key, ()) if host in self._held and (o := self._over(key, host))
            ]
            if overlays:
                best = min(overlays, key=lambda item: (not item[1].inside, -item[1].kept, self._first(item[0])))
                found.append((key, *best))
        inner = {(key, host) for key, host, overlay in found if overlay.inside}
        found = [
            f for f in found if f[2].inside or (f[1], f[0]) not in inner
        ]  # the host of a shortened clone is no clone
        return sorted(found, key=lambda f: (not f[2].inside, len(self._near[f[0]]), -f[2].kept, self._first(f[0])))

    def _first(self, key: int) -> Ref:
        return min(self._held[key].refs)

    def _over(self, key: int, host: int) -> Overlay | None:
        return lay_over(self._held[key].laid, self._held[host].laid)

    def _tell(self, key: int, host: int, overlay: Overlay, said: str, *, low: bool) -> Iterator[Finding]:
        held = self._held[key]
        places = [m.span() for m in _WORD.finditer(held.prose)]
        spans = [
            excerpt(held.text, places[start][0], places[end - 1][1])
            for start, end in overlay.runs
            if end <= len(places)
        ]
        severity: Severity = "medium" if overlay.inside and not low else "low"
        why = (
            f"{overlay.kept:.0%} of its words are those of record {self._first(host).id}, in the same order; "
            f"{sum(end - start for start, end in overlay.runs)} words are its own.{said}"
        )
        for ref in held.refs:
            yield self.finding(ref, severity, overlay.kept, why, spans)


def lay_over(clone: Laid, host: Laid) -> Overlay | None:
    """How one text is another with something put in; None where it is not."""
    length, fewest = len(clone.words), max(FEWEST_KEPT, 0.5 * len(clone.words))
    mine = clone.kept(host)
    if mine.sum() < fewest:
        return None  # nearly all: told before anything is made of it
    mine, theirs = _bridged(mine), host.kept(clone)
    kept = int(mine.sum())
    if kept < fewest or not theirs.any():
        return None
    runs = _runs(~mine)
    if len(runs) > MOST_RUNS or max((end - start for start, end in runs), default=0) < FEWEST_INSERTED:
        return None
    first, last = np.flatnonzero(theirs)[[0, -1]]
    inside = any(start > 0 and end < length for start, end in runs)
    replaced = (not mine[0] and first > 0) or (not mine[-1] and last < len(theirs) - 1)
    asked = theirs[first : last + 1] if inside else theirs  # what is put before or after only counts with a whole host
    if replaced or (~asked).sum() > MOST_LOST * len(theirs):
        return None
    return Overlay(tuple(runs), inside, kept / length)


def _bridged(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without the short stretches that are kept by chance, as a question shares a turn of phrase with its host."""
    for start, end in _runs(kept):
        if end - start < SHORTEST_KEPT:
            kept[start:end] = False
    return kept


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _often_met(sketches: Sequence[tuple[NDArray[np.uint32], Numbers]]) -> tuple[Numbers, Places, Places]:
    """The digests of all texts, sorted, and the places there of each two that have enough hashes in common.

    Where more pairs meet than may be held, every other one is let go, as often as it takes: which is told from the two texts.
    """
    digests = np.concatenate([np.zeros(0, np.uint64), *(own for _, own in sketches)])
    texts, first, place = np.unique(digests, return_index=True, return_inverse=True)
    once = np.zeros(len(digests), np.bool_)
    once[first] = True
    pairs, halved = np.zeros(0, np.uint64), 0
    for part in range(_PARTS):
        keys, done = [np.zeros(0, np.uint64)], 0
        for hashes, own in sketches:
            mine = slice(done, done := done + len(own))
            record, column = np.nonzero((hashes % _PARTS == part) & (hashes > 0) & once[mine, None])
            keys.append(
                hashes[record, column].astype(np.uint64) << np.uint64(32) | place[mine][record].astype(np.uint64)
            )
        pairs = np.concatenate([pairs, _drawn(texts, _pairs(np.sort(np.concatenate(keys))), halved)])
        while len(pairs) > MOST_PAIRS:
            halved += 1
            pairs = _drawn(texts, pairs, halved)
    distinct, times = np.unique(pairs, return_counts=True)
    return texts, *unpacked(distinct[times >= SHARED])


def _drawn(texts: Numbers, pairs: Numbers, halved: int) -> Numbers:
    one, two = unpacked(pairs)
    drawn: Numbers = pairs[mixed(texts[one] ^ texts[two]) % np.uint64(1 << halved) == 0]
    return drawn


def _pairs(keys: Numbers) -> Numbers:
    """Of hashes and places, sorted: each two places with a hash in common, unless too many have it."""
    starts = np.flatnonzero(first_of_each(keys >> np.uint64(32)))
    sizes = np.diff(starts, append=len(keys))
    place = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    found = [np.zeros(0, np.uint64)]
    for size in range(2, MOST_ALIKE + 1):
        at = starts[sizes == size]
        found += [packed(place[at + i], place[at + j]) for j in range(size) for i in range(j)]
    return np.concatenate(found)
