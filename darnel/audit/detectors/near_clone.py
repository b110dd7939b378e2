"""A record of the corpus once more, with something between its lines that the record does not have."""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.detectors.siblings import FEWEST_SHINGLES, PARTS, shingles_of
from darnel.audit.model import Finding, Severity, excerpt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    words: list[str]
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

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._seen = 0
        self._hashes, self._texts = array("Q"), array("Q")
        self._held: dict[int, _Held] = {}

    def learn(self, batch: Batch) -> None:
        """Keep the sketch of every text."""
        self._seen += len(batch)
        for entry in batch.entries:
            shingles = shingles_of(entry.all_words)[:SKETCH]
            if len(shingles) >= FEWEST_SHINGLES:
                self._hashes.extend(shingles.tolist())
                self._texts.extend([_digest(entry.all_words)] * len(shingles))

    @cached_property
    def _near(self) -> dict[int, set[int]]:
        """Texts that share enough of their sketches, by their digests; both ways."""
        import numpy as np

        rows = np.unique(np.stack([np.array(self._hashes, np.uint64), np.array(self._texts, np.uint64)], axis=1), axis=0)
        near: dict[int, set[int]] = {}
        for a, b in _often(_pairs(rows)):
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
        return dict(sorted(near.items(), key=lambda item: (len(item[1]), item[0]))[:MOST_HELD])

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Hold the text of candidates; nothing can be told before all are seen."""
        key = _digest(entry.all_words)
        if key in self._near:
            held = self._held.setdefault(key, _Held(entry.text, entry.all_words[:MOST_WORDS], []))
            held.refs.append(Ref(entry.id, entry.source))
            held.text = min(held.text, entry.text)
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
        found = [f for f in found if f[2].inside or (f[1], f[0]) not in inner]  # the host of a shortened clone is no clone
        return sorted(found, key=lambda f: (not f[2].inside, len(self._near[f[0]]), -f[2].kept, self._first(f[0])))

    def _first(self, key: int) -> Ref:
        return min(self._held[key].refs)

    def _over(self, key: int, host: int) -> Overlay | None:
        return lay_over(self._held[key].words, self._held[host].words)

    def _tell(self, key: int, host: int, overlay: Overlay, said: str, *, low: bool) -> Iterator[Finding]:
        held = self._held[key]
        places = [m.span() for m in _WORD.finditer(held.text)]
        spans = [excerpt(held.text, places[start][0], places[end - 1][1]) for start, end in overlay.runs if end <= len(places)]
        severity: Severity = "medium" if overlay.inside and not low else "low"
        why = (
            f"{overlay.kept:.0%} of its words are those of record {self._first(host).id}, in the same order; "
            f"{sum(end - start for start, end in overlay.runs)} words are its own.{said}"
        )
        for ref in held.refs:
            yield self.finding(ref, severity, overlay.kept, why, spans)


def lay_over(clone: Sequence[str], host: Sequence[str]) -> Overlay | None:
    """How one text is another with something put in; None where it is not. Linear in both.

    A word is kept where a triple that it belongs to stands in the other text too.
    """
    import numpy as np

    mine, theirs = _bridged(_kept(clone, host)), _kept(host, clone)
    kept = int(mine.sum())
    if kept < max(FEWEST_KEPT, 0.5 * len(clone)) or not theirs.any():
        return None
    runs = _runs(~mine)
    if len(runs) > MOST_RUNS or max((end - start for start, end in runs), default=0) < FEWEST_INSERTED:
        return None
    first, last = np.flatnonzero(theirs)[[0, -1]]
    replaced = (not mine[0] and first > 0) or (not mine[-1] and last < len(host) - 1)
    if replaced or (~theirs[first : last + 1]).sum() > MOST_LOST * len(host):
        return None
    inside = any(start > 0 and end < len(clone) for start, end in runs)
    return Overlay(tuple(runs), inside, kept / len(clone))


def _bridged(kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without the short stretches that are kept by chance, as a question shares a turn of phrase with its host."""
    for start, end in _runs(kept):
        if end - start < SHORTEST_KEPT:
            kept[start:end] = False
    return kept


def _kept(words: Sequence[str], other: Sequence[str]) -> NDArray[np.bool_]:
    import numpy as np

    known = set(zip(other, other[1:], other[2:], strict=False))
    kept = np.zeros(len(words), dtype=bool)
    for at, triple in enumerate(zip(words, words[1:], words[2:], strict=False)):
        if triple in known:
            kept[at : at + 3] = True
    return kept


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Start and end of every run of true values."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _pairs(rows: Any) -> Any:
    """Of rows (hash, text), sorted and distinct: each two texts with a hash in common, unless too many have it."""
    import numpy as np

    starts = np.flatnonzero(np.concatenate([[True], rows[1:, 0] != rows[:-1, 0]])) if len(rows) else np.zeros(0, int)
    sizes = np.diff(np.concatenate([starts, [len(rows)]]))
    found = [np.zeros((0, 2), np.uint64)]
    for size in range(2, MOST_ALIKE + 1):
        at = starts[sizes == size]
        found += [np.stack([rows[at + i, 1], rows[at + j, 1]], axis=1) for j in range(size) for i in range(j)]
    return np.concatenate(found)


def _often(pairs: Any) -> Iterator[tuple[int, int]]:
    import numpy as np

    distinct, times = np.unique(pairs, axis=0, return_counts=True)
    for a, b in distinct[times >= SHARED].tolist():
        yield a, b


def _digest(words: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=8).digest(), "little")
