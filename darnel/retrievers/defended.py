"""A retriever with a defence around it: more is fetched than was asked for, and the defence reorders or drops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from darnel.core.corpus import CorpusInjector, Record, Reply, Retriever, Source
from darnel.core.planting.waiting import read_all

Defence = Callable[[str, Sequence[Source]], Sequence[Source]]
"""From the question and the sources, best first and with their texts, to the sources that are passed on, best first."""

OVERFETCH = 4
LEAST_FETCHED = 40


class DefendedRetriever:
    """Asks the inner retriever for ``max(40, 4 k)`` sources and passes on the first k that the defence leaves.

    Args:
        inner: who searches.
        defence: what is done with the list.
        injector: of the corpus, to read the texts and metadata that the inner retriever does not return.
    """

    def __init__(self, inner: Retriever, defence: Defence, injector: CorpusInjector) -> None:
        self.inner, self._defence, self._injector = inner, defence, injector

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``."""
        replies = self.inner.retrieve(queries, max(LEAST_FETCHED, OVERFETCH * k))
        bare = {s.id for reply in replies for s in reply.sources if s.text is None and s.id is not None}
        found = read_all(self._injector, sorted(bare)) if bare else {}
        out = []
        for query, reply in zip(queries, replies, strict=True):
            filled = [_filled(s, found[s.id]) if s.id in found and s.text is None else s for s in reply.sources]
            out.append(replace(reply, sources=tuple(self._defence(query, filled))[:k]))
        return out


def _filled(source: Source, record: Record) -> Source:
    # a search may leave out the metadata too, or all of it but the kit's own keys; a defence judges by it
    metadata = {**(record.metadata or {}), **(source.metadata or {})}
    return Source(source.id, record.text, metadata, source.score)
