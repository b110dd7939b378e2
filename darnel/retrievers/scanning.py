"""Rankers of darnel's own over what a store holds: what BM25, or plain dense search, would make of the same records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from darnel.adapters.memory.rankers import Ranker, rank, ranked_text
from darnel.core.corpus import CorpusReader, Record, Reply
from darnel.core.plant import read_stamp


class ScanRetriever:
    """Reads the owner's records once and the plants anew for every round of questions, and ranks them all, exactly.

    Args:
        reader: of the corpus.
        ranker: scores texts against queries; a score of 0 or less is not returned where it counts words.
        clean: what to do to each text and query first, for instance to normalise its characters.
        share: of the owner's records, which of them are ranked; the plants always are. Those of a smaller share are among
            those of a greater one.
    """

    def __init__(
        self, reader: CorpusReader, ranker: Ranker, clean: Callable[[str], str] = str, share: float = 1.0
    ) -> None:
        self._reader, self._ranker, self._clean, self._share = reader, ranker, clean, share
        self._own: list[Record] | None = None
        self._fitted: list[tuple[str, str | None]] = []
        self._records: list[Record] = []

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``."""
        self._refresh()
        return rank(self._ranker, self._records, [self._clean(query) for query in queries], k)

    def _refresh(self) -> None:
        if self._own is None:
            scanned = (record for batch in self._reader.scan(vectors=False) for record in batch)
            own = (record for record in scanned if read_stamp(record.metadata) is None)
            self._own = [record for record in own if self._share >= 1 or _drawn(record.id) < self._share]
        records = [*self._own, *self._reader.plants()]
        now = [(record.id, record.text) for record in records]
        if now != self._fitted:
            self._ranker.fit([self._clean(ranked_text(record)) for record in records])
            self._records, self._fitted = records, now


def _drawn(id_: str) -> float:
    """A number from 0 to below 1, the same for the same id wherever the record stands."""
    digest = hashlib.blake2b(id_.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
