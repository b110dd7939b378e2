"""How the memory corpus ranks: BM25 (by the bm25s library), capped keyword counts, or dense vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from darnel.core.corpus import Record, Reply, Source
from darnel.core.errors import UsageError
from darnel.core.planting.batches import chunks
from darnel.core.text import content_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from darnel.embedders.base import Embedder

    Scores = NDArray[np.float32]


QUERIES_AT_ONCE = 64
"""The scores of so many queries are held at one time."""


class Ranker(Protocol):
    """Scores every text of a corpus against queries; higher is better."""

    name: str

    def fit(self, texts: Sequence[str]) -> None:
        """Index the corpus; called again whenever it changed."""
        ...

    def scores(self, queries: Sequence[str]) -> Scores:
        """A score for each query and text: shape (queries, texts)."""
        ...


def ranked_text(record: Record) -> str:
    """Title and text, as BEIR's baselines index them."""
    title, text = (record.metadata or {}).get("title"), record.text or ""
    return f"{title} {text}" if isinstance(title, str) else text


def rank(ranker: Ranker, records: Sequence[Record], queries: Sequence[str], k: int) -> list[Reply]:
    """The best ``k`` records for each query, by a ranker fitted to them in this order; ties keep it, too.

    A record that scores 0 shares nothing with the query and is not returned.
    """
    import numpy as np

    replies = []
    for block in chunks(queries, QUERIES_AT_ONCE):
        for scores in ranker.scores(block):
            best = [int(i) for i in np.argsort(-scores, kind="stable")[:k] if scores[i] > 0]
            replies.append(Reply(tuple(_source(records[i], float(scores[i])) for i in best)))
    return replies


def _source(record: Record, score: float) -> Source:
    return Source(record.id, record.text, record.metadata, score)


class BM25Ranker:
    """Okapi BM25 with Lucene's idf; k1 1.2 and b 0.75 unless given."""

    name = "bm25"

    def __init__(self, k1: float = 1.2, b: float = 0.75) -> None:
        self._k1, self._b = k1, b
        self._index: Any = None
        self._size = 0

    def fit(self, texts: Sequence[str]) -> None:
        """Index the corpus."""
        import bm25s

        self._size = len(texts)
        tokens = [content_words(text) for text in texts]
        self._index = bm25s.BM25(k1=self._k1, b=self._b, method="lucene") if any(tokens) else None
        if self._index is not None:
            self._index.index(tokens, show_progress=False)

    def scores(self, queries: Sequence[str]) -> Scores:
        """BM25 scores; 0 where no term is shared."""
        import numpy as np

        out = np.zeros((len(queries), self._size), dtype=np.float32)
        if self._index is None:
            return out
        vocabulary = self._index.vocab_dict
        for row, query in enumerate(queries):
            known = [token for token in content_words(query) if token in vocabulary]
            if known:
                out[row] = self._index.get_scores(known)
        return out


class CappedCountRanker:
    """Counts of the query's terms in each text, each term counting at most ``cap`` times."""

    name = "counts"

    def __init__(self, cap: int = 3) -> None:
        self._cap = cap
        self._postings: dict[str, tuple[list[int], list[int]]] = {}
        self._size = 0

    def fit(self, texts: Sequence[str]) -> None:
        """Index the corpus."""
        self._size, self._postings = len(texts), {}
        for row, text in enumerate(texts):
            for term, count in Counter(content_words(text)).items():
                rows, counts = self._postings.setdefault(term, ([], []))
                rows.append(row)
                counts.append(min(count, self._cap))

    def scores(self, queries: Sequence[str]) -> Scores:
        """Sums of capped counts over the query's distinct terms."""
        import numpy as np

        out = np.zeros((len(queries), self._size), dtype=np.float32)
        for row, query in enumerate(queries):
            for term in set(content_words(query)):
                if term in self._postings:
                    rows, counts = self._postings[term]
                    out[row, rows] += counts
        return out


class DenseRanker:
    """Cosine similarity of an embedder's vectors, by exact search."""

    name = "dense"

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._matrix: Any = None

    def fit(self, texts: Sequence[str]) -> None:
        """Embed the corpus."""
        self._matrix = _normalised(self.embedder.documents(texts))

    def scores(self, queries: Sequence[str]) -> Scores:
        """Cosines; 0 for a zero vector."""
        found: Scores = _normalised(self.embedder.queries(queries)) @ self._matrix.T
        return found


RANKERS = ("bm25", "counts", "dense")


def make_ranker(name: str, embedder: Embedder | None) -> Ranker:
    """A ranker by name; ``dense`` needs an embedder."""
    if name == "bm25":
        return BM25Ranker()
    if name == "counts":
        return CappedCountRanker()
    if embedder is None:
        raise UsageError("the dense memory corpus needs an embedder; add for instance --embedder wordllama")
    return DenseRanker(embedder)


def _normalised(matrix: Scores) -> Scores:
    import numpy as np

    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    scaled: Scores = (matrix / np.where(length == 0, 1, length)).astype(np.float32)
    return scaled
