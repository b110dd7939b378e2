"""langchain-qdrant: the collection beneath is read and cleaned by darnel's own Qdrant adapter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from darnel.adapters.langchain.stores.access import KnownStore, Vectors, pair_scores, versions
from darnel.adapters.qdrant.corpus import QdrantCorpus
from darnel.adapters.qdrant.faults import call
from darnel.adapters.qdrant.options import QdrantOptions
from darnel.adapters.qdrant.vectors import LOWER_IS_BETTER
from darnel.core.corpus import CorpusDescription, Record
from darnel.core.errors import ContainerMissingError

KINDS = {"Cosine": "cosine", "Dot": "dot", "Euclid": "euclid"}


class QdrantStore(KnownStore):
    """A ``QdrantVectorStore``: dense, sparse or hybrid, named vectors or unnamed."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        layout = {"text": store.content_payload_key, "metadata": store.metadata_payload_key}
        vector = None if store.retrieval_mode.value == "sparse" else store.vector_name or None
        self._corpus = QdrantCorpus(store.client, store.collection_name, options=QdrantOptions(vector=vector, **layout))
        if not call(store.client.collection_exists, store.collection_name):
            raise ContainerMissingError(f"no Qdrant collection '{store.collection_name}' there; check its name")

    @property
    def host(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.host``."""
        place = self._corpus.place
        return "" if place.local else urlsplit(place.where).hostname

    @property
    def _dense(self) -> bool:
        return bool(self.store.retrieval_mode.value == "dense")

    @property
    def score_sign(self) -> int | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.score_sign``."""
        return -1 if self._dense and self.store.distance.value in LOWER_IS_BETTER else 1

    @property
    def embeds(self) -> bool:
        """See ``StoreAccess.embeds``; a sparse collection needs no dense embedder."""
        return super().embeds or bool(self.store.retrieval_mode.value == "sparse")

    @property
    def vector_search(self) -> str | None:  # type: ignore[override]  # a property over a class attribute
        """See ``StoreAccess.vector_search``; sparse and hybrid searches need the text."""
        return "similarity_search_with_score_by_vector" if self._dense else None

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        found = self._corpus.describe()
        return replace(found, backend="langchain/qdrant", versions={**versions("langchain-qdrant"), **found.versions})

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""
        return self._corpus.read_vectors(ids) if vectors else self._corpus.read(ids)

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``."""
        self._corpus.remove(ids)

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``."""
        kind = KINDS.get(self.store.distance.value)
        return pair_scores(kind, asked, planted) if self._dense and kind else None

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return self._corpus.ids()

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``."""
        return self._corpus.scan(batch, vectors=vectors)

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return self._corpus.plants()
