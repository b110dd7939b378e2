"""Rankers of darnel's own over what a store holds: what BM25, or plain dense search, would make of the same records."""

from __future__ import annotations

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
    """

    def __init__(self, reader: CorpusReader, ranker: Ranker, clean: Callable[[str], str] = str) -> None:
        self._reader, self._ranker, self._clean = reader, ranker, clean
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
            self._own = [record for record in scanned if read_stamp(record.metadata) is None]
        records = [*self._own, *self._reader.plants()]
        now = [(record.id, record.text) for record in records]
        if now != self._fitted:
            self._ranker.fit([self._clean(ranked_text(record)) for record in records])
            self._records, self._fitted = records, now
