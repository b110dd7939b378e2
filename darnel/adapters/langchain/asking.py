"""Ask a store as the application asks it: its kind of search, its filter, its settings; only ``k`` is darnel's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from darnel.adapters.langchain.stores.access import StoreAccess
from darnel.adapters.langchain.stores.find import keeps
from darnel.adapters.langchain.stores.plain import document_id
from darnel.core.corpus import Reply, Source
from darnel.core.errors import EmbedderError, TargetError, describe_error
from darnel.embedders.base import Embedder

MMR_POOL = 20
"""LangChain's ``fetch_k`` where none is given: candidates that maximal marginal relevance chooses from."""

Found = list[tuple[Any, float | None]]
"""Documents and scores, best first; a score of None means that only the order is known."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How the application asks: a retriever's ``search_type`` and ``search_kwargs``, or the plain search of a store."""

    kind: str = "similarity"
    settings: Mapping[str, Any] = field(default_factory=dict)
    k: int | None = None

    @property
    def narrowing(self) -> dict[str, Any]:
        """The settings that keep records out whatever the question is."""
        return {k: v for k, v in self.settings.items() if k not in ("fetch_k", "lambda_mult", "score_threshold")}


def read_retriever(retriever: Any) -> Asking:
    """How a ``VectorStoreRetriever`` asks."""
    settings = dict(retriever.search_kwargs)
    return Asking(retriever.search_type, settings, settings.pop("k", None))


class StoreSearch:
    """Answers questions from a store.

    Args:
        store: a ``VectorStore``.
        access: what is known of it.
        known: the class it is known by.
        embedder: the store's own; each question is embedded once, where the store can be asked by vector.
        asking: how the application asks.
    """

    def __init__(
        self, store: Any, access: StoreAccess, known: type | None, embedder: Embedder | None, asking: Asking
    ) -> None:
        self.store, self.access, self.asking = store, access, asking
        self._embedder = embedder
        # an application's own search method must be asked itself: who knows what it adds
        self._native = keeps(store, known, "similarity_search", "similarity_search_with_score")

    @property
    def scored(self) -> bool:
        """Whether scores are those of a plain vector search, on a known scale."""
        return self._search() == self._by_vector

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``.

        Raises:
            TargetError: no question could be answered; a single one that fails says so in its reply.
        """
        search = self._search()
        replies = [self._reply(search, query, k) for query in queries]
        if replies and all(r.error for r in replies):
            raise TargetError(f"the vector store does not answer: {replies[0].error}")
        return replies

    def _reply(self, search: Callable[[str, int], Found], query: str, k: int) -> Reply:
        try:
            with self.access.turn():
                found = search(query, k)
        except EmbedderError:
            raise
        except Exception as error:  # the store's
            return Reply(error=describe_error(error))
        return Reply(tuple(_source(document, score) for document, score in found))

    def _search(self) -> Callable[[str, int], Found]:
        if self.asking.kind == "mmr":
            return self._mmr
        if self.asking.kind == "similarity_score_threshold":
            return self._above_threshold
        if not self._native or self.access.score_sign is None:
            return self._order_only
        if self._embedder is not None and self.access.vector_search:
            return self._by_vector
        return self._by_text

    def _by_vector(self, query: str, k: int) -> Found:
        assert self._embedder is not None
        method = getattr(self.store, str(self.access.vector_search))
        vector = self._embedder.queries([query])[0].tolist()
        return self._signed(method(vector, k=k, **self.asking.settings))

    def _by_text(self, query: str, k: int) -> Found:
        return self._signed(self.store.similarity_search_with_score(query, k=k, **self.asking.settings))

    def _order_only(self, query: str, k: int) -> Found:
        return [(d, None) for d in self.store.similarity_search(query, k=k, **self.asking.settings)]

    def _mmr(self, query: str, k: int) -> Found:
        # it chooses greedily, so its first k are the same whatever k is, as long as the pool is
        settings = {"fetch_k": MMR_POOL, **self.asking.settings}
        k = min(k, settings["fetch_k"])
        return [(d, None) for d in self.store.max_marginal_relevance_search(query, k=k, **settings)]

    def _above_threshold(self, query: str, k: int) -> Found:
        with warnings.catch_warnings():
            # LangChain prints every document where one score is negative, as those deep in a list often are
            warnings.filterwarnings("ignore", message="Relevance scores must be")
            return list(self.store.similarity_search_with_relevance_scores(query, k=k, **self.asking.settings))

    def _signed(self, found: Sequence[tuple[Any, float]]) -> Found:
        sign = self.access.score_sign or 1
        return [(document, sign * float(score)) for document, score in found]


def _source(document: Any, score: float | None) -> Source:
    return Source(document_id(document), document.page_content, dict(document.metadata or {}), score)
