"""Several documents that say nearly the same, as a flood does to fill a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np

from darnel.audit.batch import Batch
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.minhash import Shingles, Sketches, known_of, meeting, shingles_of, sketched
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

    MinHash is worked out for a whole batch by numpy: a library's objects, one a record, take twenty times as long. Texts
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
        self._texts, self._sets, self._pairs = (np.zeros(0, np.uint64) for _ in range(3))
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
        self._pairs = meeting(self._sketches)
        wanted, texts, sets = np.unique(self._pairs), [self._texts], [self._sets]
        for part in self._sketches:
            known, _ = known_of(wanted, part.sets)
            texts.append(part.texts[known])
            sets.append(part.sets[known])
        self._sketches = []
        self._texts, first = np.unique(np.concatenate(texts), return_index=True)
        self._sets = np.concatenate(sets)[first]
        return len(self._pairs) > 0

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """Keep the triples of candidates; nothing can be told before all are seen."""
        known, at = known_of(self._texts, batch.digests)
        for entry, key in zip(batch.picked(known).entries, self._sets[at].tolist(), strict=True):
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

    def _groups(self) -> list[list[int]]:
        """What verified pairs join; two that are in one group already are not compared."""
        leader = {key: key for key in self._shingles}

        def lead(key: int) -> int:
            while leader[key] != key:
                leader[key] = key = leader[leader[key]]
            return key

        for one, two in zip(*self._pairs.T.tolist(), strict=True):
            if one in leader and two in leader and (a := lead(one)) != (b := lead(two)) and self._alike(one, two):
                leader[b] = a
        groups: dict[int, list[int]] = {}
        for key in leader:
            groups.setdefault(lead(key), []).append(key)
        return list(groups.values())

    def _alike(self, a: int, b: int) -> bool:
        one, two = self._shingles[a][0], self._shingles[b][0]
        shared = len(np.intersect1d(one, two, assume_unique=True))
        return shared >= LIKE * (len(one) + len(two) - shared)
