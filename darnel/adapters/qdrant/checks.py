"""The preflight of a Qdrant collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from darnel.adapters.checks import vector_checks
from darnel.adapters.qdrant.corpus import QdrantCorpus
from darnel.adapters.qdrant.detect import given_layout, layout_of
from darnel.adapters.qdrant.layouts import stamps_in
from darnel.core.corpus import Check, CorpusDescription, Record
from darnel.core.plant import Plant


class EmbeddedView:
    """The corpus as its embedder saw it: the text that was embedded, and the one vector that came of it.

    LlamaIndex embeds a node's metadata before its text; comparing the text alone would fail the right embedder.
    """

    def __init__(self, corpus: QdrantCorpus) -> None:
        self._corpus = corpus

    def describe(self) -> CorpusDescription:
        """The corpus's own."""
        return self._corpus.describe()

    def ids(self) -> Sequence[str]:
        """The corpus's own."""
        return self._corpus.ids()

    def plants(self) -> Sequence[Record]:
        """The corpus's own."""
        return self._corpus.plants()

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """The corpus's own."""
        return self._corpus.scan(batch, vectors=vectors)

    def inject(self, plants: Sequence[Plant]) -> None:
        """The corpus's own."""
        self._corpus.inject(plants)

    def remove(self, ids: Sequence[str]) -> None:
        """The corpus's own."""
        self._corpus.remove(ids)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """The corpus's own."""
        return self._corpus.read(ids)

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """Records whose text and vector are those that the embedder took and gave."""
        given, using = given_layout(self._corpus.options), self._corpus.setup.using
        records = {}
        for point in self._corpus.fetch(ids, vectors=True):
            payload = point.payload or {}
            layout, vector = layout_of(payload, given), point.vector
            if isinstance(vector, Mapping):
                vector = None if using is None else vector.get(using)
            text = layout.embedded(payload) if layout else None
            records[str(point.id)] = Record(str(point.id), text, stamps_in(payload), vector)
        return records


def target_checks(corpus: QdrantCorpus) -> Iterator[Check]:
    """What the collection's configuration and its points say, then what every vector store is asked."""
    view = EmbeddedView(corpus)
    checks = list(vector_checks(view, view, corpus.embedder))  # describes, so the setup is fresh
    if corpus.place.local and not corpus.place.volatile:
        yield Check("second client", True, "none: local mode lets one process in at a time")
    yield from corpus.setup.checks
    how = "insert-only for absent ids" if corpus.insert_only else "ids are read before each write (no insert-only here)"
    yield Check("writes", True, how)
    without_dense = corpus.setup.dense is None
    yield from (c for c in checks if not (without_dense and c.name == "embedder"))
