"""Hybrid search: several lists made one by reciprocal rank fusion."""

from __future__ import annotations

from collections.abc import Sequence

from darnel.core.corpus import Reply, Retriever, Source

CONSTANT = 60
"""Of Cormack, Clarke and Buettcher, SIGIR 2009."""
LEAST_DEPTH = 100


class FusedRetriever:
    """Scores a source by the sum, over the lists it is in, of 1 / (60 + its rank there)."""

    def __init__(self, retrievers: Sequence[Retriever]) -> None:
        self._retrievers = retrievers

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``."""
        rounds = [retriever.retrieve(queries, max(k, LEAST_DEPTH)) for retriever in self._retrievers]
        return [_fuse(replies, k) for replies in zip(*rounds, strict=True)]


def _fuse(replies: Sequence[Reply], k: int) -> Reply:
    if error := next((reply.error for reply in replies if reply.error), None):
        return Reply(error=error)
    scores: dict[str, float] = {}
    sources: dict[str, Source] = {}
    for reply in replies:
        for rank, source in enumerate(reply.sources, 1):
            key = source.id or source.text or ""
            scores[key] = scores.get(key, 0.0) + 1 / (CONSTANT + rank)
            known = sources.get(key)
            sources[key] = source if known is None or known.text is None else known
    best = sorted(scores, key=lambda key: -scores[key])[:k]
    return Reply(tuple(Source(s.id, s.text, s.metadata, scores[key]) for key in best for s in (sources[key],)))
