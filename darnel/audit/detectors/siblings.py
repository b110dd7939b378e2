"""Several documents that say nearly the same, as a flood does to fill a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.minhash import Shingles, Sketches, joined, meeting, shingles_of, sketched, text_hash
from darnel.audit.model import Finding, Severity, Span

LIKE = 0.5
"""Jaccard of word triples from which two texts are siblings."""
SMALLEST_GROUP = 3
USUAL = 0.05
"""Share of records in groups above which groups are how this corpus is made: reference pages, versions, forms."""
SEVERAL = 5
"""Groups below which they are usual nowhere."""
PARTS = 5
"""Of the alert budget: what siblings may use up where they are usual."""


class Siblings(BaseDetector):
    """Candidates by MinHash in a first pass, then verified by their word triples in a second.

    MinHash is worked out for a whole batch by numpy: that is four times as fast as a library's objects, one a record. Texts
    that have the same triples are one document held several times, and count once.
    """

    name = "siblings"
    summary = "Groups of three or more documents of nearly the same words, by MinHash, verified."
    blind = (
        "Paraphrases, pairs, groups of less than half their word triples in common, and equal copies, which count as one; and a "
        "flood in a corpus that is full of such groups."
    )
    advice = "Keep one of the group; look at who wrote the others and when."
    learns = True
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._seen = 0
        self._sketches: list[Sketches] = []
        self._texts: dict[int, int] = {}
        self._near: dict[int, set[int]] = {}
        self._refs: dict[int, Ref] = {}
        self._shingles: dict[int, tuple[Shingles, str]] = {}

    def learn(self, batch: Batch) -> None:
        """Sketch every text that has something to compare."""
        self._seen += len(batch)
        self._sketches.append(sketched(batch))

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        self._seen += other._seen
        self._sketches += other._sketches

    def looks_again(self) -> bool:
        """Only where sketches meet."""
        whole = joined(self._sketches)
        self._sketches = []
        self._near = meeting(whole)
        wanted = np.isin(whole.sets, np.fromiter(self._near, np.uint64, len(self._near)))
        self._texts = dict(zip(whole.texts[wanted].tolist(), whole.sets[wanted].tolist(), strict=True))
        return bool(self._near)

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Keep the triples of candidates; nothing can be told before all are seen."""
        key = self._texts.get(text_hash(entry.text))
        if key is not None:
            ref = Ref(entry.id, entry.source)
            if key not in self._refs or ref < self._refs[key]:
                self._refs[key] = ref
                self._shingles[key] = (shingles_of(entry.words), entry.text[:160])
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """Groups joined by verified pairs; where a corpus is made of such families, only as many as the budget allows."""
        groups = [sorted(group, key=self._refs.__getitem__) for group in self._groups() if len(group) >= SMALLEST_GROUP]
        groups.sort(key=lambda group: (len(group), self._refs[group[0]]))
        members = sum(map(len, groups))
        family = len(groups) >= SEVERAL and members > USUAL * self._seen
        left = round(self.context.budget / PARTS * self._seen) if family else members
        said = (
            f" Such groups hold {members} of {self._seen} records here, so they say little; few are shown."
            if family
            else ""
        )
        for group in groups:
            left -= len(group)
            if left < 0:
                return
            yield from self._tell(group, "low" if family else "medium", said)

    def _tell(self, group: Sequence[int], severity: Severity, said: str) -> Iterator[Finding]:
        for key in group:
            own = self._refs[key]
            others = [self._refs[other].id for other in group if other != key]
            shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            why = f"{len(group)} documents share at least half their word triples: this one, {shown}.{said}"
            yield self.finding(own, severity, len(group), why, [Span(0, 0, self._shingles[key][1])])

    def _groups(self) -> list[set[int]]:
        groups: list[set[int]] = []
        seen: set[int] = set()
        for start in self._shingles:
            if start in seen:
                continue
            group, edge = {start}, [start]
            while edge:
                key = edge.pop()
                for other in self._near.get(key, ()):
                    if other not in group and other in self._shingles and self._alike(key, other):
                        group.add(other)
                        edge.append(other)
            seen |= group
            groups.append(group)
        return groups

    def _alike(self, a: int, b: int) -> bool:
        one, two = self._shingles[a][0], self._shingles[b][0]
        shared = len(np.intersect1d(one, two, assume_unique=True))
        return shared >= LIKE * (len(one) + len(two) - shared)
