"""Several documents that say nearly the same, as a flood does to fill a list."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Severity, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Shingles = NDArray[np.uint64]

PERMUTATIONS = 64
"""Of the MinHash; its sketch takes about 1 KB a record."""
LIKE = 0.5
"""Jaccard of word triples from which two texts are siblings."""
FEWEST_SHINGLES = 12
SMALLEST_GROUP = 3
USUAL = 0.05
"""Share of records in groups above which groups are how this corpus is made: reference pages, versions, forms."""
SEVERAL = 5
"""Groups below which they are usual nowhere."""
PARTS = 5
"""Of the alert budget: what siblings may use up where they are usual."""
MOST_SHINGLES = 5_000
"""Word triples of one text that are looked at: enough to tell, and linear in the corpus."""


class Siblings(BaseDetector):
    """Candidates by MinHash in a first pass (datasketch), then verified by their word triples in a second.

    Texts that are equal word for word are one document held several times, and count once.
    """

    name = "siblings"
    summary = "Groups of three or more documents of nearly the same words, by MinHash, verified."
    blind = (
        "Paraphrases, pairs, groups of less than half their word triples in common, and equal copies, which count as one; and a "
        "flood in a corpus that is full of such groups."
    )
    advice = "Keep one of the group; look at who wrote the others and when."
    learns = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._index: Any = None
        self._seen = 0
        self._digests: dict[bytes, Ref] = {}
        self._near: dict[bytes, set[bytes]] = {}
        self._shingles: dict[bytes, tuple[Shingles, str]] = {}

    def learn(self, batch: Batch) -> None:
        """Sketch every text; remember which sketches meet."""
        self._seen += len(batch)
        for entry in batch.entries:
            shingles = shingles_of(entry.words)
            key, ref = _digest(entry.words), Ref(entry.id, entry.source)
            if len(shingles) < FEWEST_SHINGLES:
                continue
            if key in self._digests:
                self._digests[key] = min(self._digests[key], ref)
                continue
            self._digests[key] = ref
            sketch = _sketch(shingles)
            met = set(self._lsh.query(sketch))
            for other in met:
                self._near.setdefault(other, set()).add(key)
                self._near.setdefault(key, set()).add(other)
            self._lsh.insert(key, sketch)

    @property
    def _lsh(self) -> Any:
        if self._index is None:
            from datasketch import MinHashLSH

            self._index = MinHashLSH(threshold=LIKE, num_perm=PERMUTATIONS)
        return self._index

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Keep the triples of candidates; nothing can be told before all are seen."""
        key = _digest(entry.words)
        if key in self._near and self._digests[key] == Ref(entry.id, entry.source):
            self._shingles[key] = (shingles_of(entry.words), entry.text[:160])
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """Groups joined by verified pairs; where a corpus is made of such families, only as many as the budget allows."""
        groups = [
            sorted(group, key=self._digests.__getitem__) for group in self._groups() if len(group) >= SMALLEST_GROUP
        ]
        groups.sort(key=lambda group: (len(group), self._digests[group[0]]))
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

    def _tell(self, group: Sequence[bytes], severity: Severity, said: str) -> Iterator[Finding]:
        for key in group:
            own = self._digests[key]
            others = [self._digests[other].id for other in group if other != key]
            shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            why = f"{len(group)} documents share at least half their word triples: this one, {shown}.{said}"
            yield self.finding(own, severity, len(group), why, [Span(0, 0, self._shingles[key][1])])

    def _groups(self) -> list[set[bytes]]:
        groups: list[set[bytes]] = []
        seen: set[bytes] = set()
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

    def _alike(self, a: bytes, b: bytes) -> bool:
        import numpy as np

        one, two = self._shingles[a][0], self._shingles[b][0]
        shared = len(np.intersect1d(one, two, assume_unique=True))
        return shared >= LIKE * (len(one) + len(two) - shared)


def shingles_of(tokens: Sequence[str]) -> Shingles:
    """Distinct 32-bit hashes of the word triples, sorted; the same in every process, so that findings are too."""
    import numpy as np

    words = [zlib.crc32(token.encode("utf-8", "replace")) for token in tokens[: MOST_SHINGLES + 2]]
    hashed = np.array(words, dtype=np.uint64)
    if len(words) < 3:
        return hashed[:0]
    mixed = hashed[:-2] * np.uint64(0x9E3779B97F4A7C15) + hashed[1:-1] * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed += hashed[2:] * np.uint64(0x165667B19E3779F9)
    found: Shingles = np.unique(mixed >> np.uint64(32))
    return found


def _digest(tokens: Sequence[str]) -> bytes:
    return hashlib.blake2b(" ".join(tokens).encode("utf-8", "replace"), digest_size=12).digest()


def _sketch(shingles: Shingles) -> Any:
    sketch = _empty().copy()
    sketch.update_batch(shingles.tolist())
    return sketch


@cache
def _empty() -> Any:
    """A sketch of nothing: to copy it is quicker than to draw its permutations again."""
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, hashfunc=int)
