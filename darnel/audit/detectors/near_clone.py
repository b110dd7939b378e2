"""A record of the corpus once more, with something between its lines that the record does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.minhash import FEWEST_SHINGLES, text_hash
from darnel.audit.model import Finding, Severity, excerpt
from darnel.audit.tokens import Numbers, hash_of, numbers_of, record_of, triple_hashes

SKETCH = 16
"""Smallest hashes kept of each text (a MinHash of the bottom-k kind); with the text's own, 256 bytes a record."""
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
MOST_WORDS = 5_000
"""Words of one text that are laid over another's."""
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


@dataclass(slots=True)
class _Held:
    """A candidate: its text, and the records that have it word for word."""

    text: str
    prose: str
    words: Numbers
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
        self._seen = 0
        self._rows: list[NDArray[np.uint64]] = []
        self._held: dict[int, _Held] = {}

    def learn(self, batch: Batch) -> None:
        """Keep the sketch of every text."""
        self._seen += len(batch)
        keys = batch.tokens.first(MOST_WORDS).distinct
        record = record_of(keys)
        counts = np.bincount(record, minlength=len(batch))
        place = np.arange(len(keys)) - (np.cumsum(counts) - counts)[record]
        kept = (place < SKETCH) & (counts[record] >= FEWEST_SHINGLES)
        texts = np.zeros(len(batch), np.uint64)
        for number in np.unique(record[kept]):
            texts[number] = text_hash(batch.entries[number].text)
        self._rows.append(np.stack([hash_of(keys[kept]), texts[record[kept]]], axis=1))

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        self._seen += other._seen
        self._rows += other._rows

    def looks_again(self) -> bool:
        """Only where texts have enough in common."""
        return bool(self._near)

    @cached_property
    def _near(self) -> dict[int, set[int]]:
        """Texts that share enough of their sketches, by their digests; both ways."""
        rows = np.concatenate([np.zeros((0, 2), np.uint64), *self._rows])
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        rows = rows[np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])] if len(rows) else rows
        self._rows = []
        near: dict[int, set[int]] = {}
        for a, b in _often(_pairs(rows)):
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
        return dict(sorted(near.items(), key=lambda item: (len(item[1]), item[0]))[:MOST_HELD])

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Hold the text of candidates; nothing can be told before all are seen."""
        key = text_hash(entry.text)
        if key in self._near:
            held = self._held.setdefault(key, _Held(entry.text, entry.prose, numbers_of(entry.words[:MOST_WORDS]), []))
            held.refs.append(Ref(entry.id, entry.source))
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """Every clone; where they are how this corpus is made, only as many as the budget allows."""
        clones = self._clones()
        part = {key for key, _, _ in clones} | {host for _, host, _ in clones}
        alike = len(self._near.keys() - part)
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
            overlays = [(host, o) for host in self._near[key] if host in self._held and (o := self._over(key, host))]
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
        return lay_over(self._held[key].words, self._held[host].words)

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


def lay_over(clone: Numbers, host: Numbers) -> Overlay | None:
    """How one text is another with something put in, by the numbers of their words; None where it is not.

    A word is kept where a triple that it belongs to stands in the other text too.
    """
    mine, theirs = _bridged(_kept(clone, host)), _kept(host, clone)
    kept = int(mine.sum())
    if kept < max(FEWEST_KEPT, 0.5 * len(clone)) or not theirs.any():
        return None
    runs = _runs(~mine)
    if len(runs) > MOST_RUNS or max((end - start for start, end in runs), default=0) < FEWEST_INSERTED:
        return None
    first, last = np.flatnonzero(theirs)[[0, -1]]
    inside = any(start > 0 and end < len(clone) for start, end in runs)
    replaced = (not mine[0] and first > 0) or (not mine[-1] and last < len(host) - 1)
    asked = theirs[first : last + 1] if inside else theirs  # what is put before or after only counts with a whole host
    if replaced or (~asked).sum() > MOST_LOST * len(host):
        return None
    return Overlay(tuple(runs), inside, kept / len(clone))


def _bridged(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without the short stretches that are kept by chance, as a question shares a turn of phrase with its host."""
    for start, end in _runs(kept):
        if end - start < SHORTEST_KEPT:
            kept[start:end] = False
    return kept


def _kept(words: Numbers, other: Numbers) -> NDArray[np.bool_]:
    known = np.isin(triple_hashes(words), triple_hashes(other))
    kept = np.zeros(len(words), dtype=bool)
    for at in range(3):
        kept[at : at + len(known)] |= known
    return kept


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of every run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _pairs(rows: Any) -> Any:
    """Of rows (hash, text), sorted and distinct: each two texts with a hash in common, unless too many have it."""
    starts = np.flatnonzero(np.concatenate([[True], rows[1:, 0] != rows[:-1, 0]])) if len(rows) else np.zeros(0, int)
    sizes = np.diff(np.concatenate([starts, [len(rows)]]))
    found = [np.zeros((0, 2), np.uint64)]
    for size in range(2, MOST_ALIKE + 1):
        at = starts[sizes == size]
        found += [np.stack([rows[at + i, 1], rows[at + j, 1]], axis=1) for j in range(size) for i in range(j)]
    return np.concatenate(found)


def _often(pairs: Any) -> Iterator[tuple[int, int]]:
    distinct, times = np.unique(pairs, axis=0, return_counts=True)
    yield from map(tuple, distinct[times >= SHARED].tolist())
