"""langchain-chroma: the collection beneath is read and cleaned by darnel's own Chroma adapter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from darnel.adapters.chroma.corpus import ChromaCorpus
from darnel.adapters.langchain.stores.access import KnownStore, Vectors, pair_scores, versions
from darnel.core.corpus import CorpusDescription, Record
from darnel.core.errors import ContainerMissingError


class ChromaStore(KnownStore):
    """A ``langchain_chroma.Chroma`` over any kind of client."""

    score_sign = -1
    vector_search = "similarity_search_by_vector_with_relevance_scores"

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        try:
            self._corpus = ChromaCorpus(store._collection)
        except ValueError:
            raise ContainerMissingError("this Chroma store's collection was deleted; build the store anew") from None
        self._settings = self._corpus._api._system.settings

    @property
    def host(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.host``."""
        given = str(self._settings.chroma_server_host or "")
        return urlsplit(given).hostname if "://" in given else given

    @property
    def folder(self) -> Path | None:
        """Where an embedded client keeps its database; None for a server and for memory."""
        if self.host or not self._settings.is_persistent:
            return None
        return Path(self._settings.persist_directory).resolve()

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        found = self._corpus.describe()
        volatile = not self.host and self.folder is None
        return replace(
            found,
            backend="langchain/chroma",
            capabilities=replace(found.capabilities, volatile=volatile),
            versions={**versions("langchain-chroma"), **found.versions},
        )

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""
        return self._corpus.read_vectors(ids) if vectors else self._corpus.read(ids)

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``; ids and the kit's mark in one call."""
        self._corpus.remove(ids)

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``; Chroma's distances are squared for l2, and 1 less the similarity otherwise."""
        metric = self._corpus._metric()
        if metric == "l2":
            return [-(s**2) for s in pair_scores("euclid", asked, planted)]
        kind = {"cosine": "cosine", "ip": "dot"}.get(metric or "")
        return [s - 1 for s in pair_scores(kind, asked, planted)] if kind else None

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return self._corpus.ids()

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``."""
        return self._corpus.scan(batch, vectors=vectors)

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return self._corpus.plants()
