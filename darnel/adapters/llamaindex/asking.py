"""Ask as the application asks: through its retriever's own settings, with a vector made once for each question."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from darnel.adapters.llamaindex.stores import NativeStore
from darnel.core.corpus import Source


def is_snapshot(retriever: Any) -> bool:
    """Whether a ``VectorIndexRetriever`` pinned its node ids when it was made, and its store keeps to them.

    Such a retriever, and any engine built on it, never returns a node that came later. ``index.as_retriever()`` makes
    one over every store that keeps no text.
    """
    pinned = getattr(retriever, "_node_ids", None)
    store = getattr(retriever, "_vector_store", None)
    # Chroma's query passes over the ids; of a store that nobody looked into the worse is assumed
    return bool(pinned) and not any(c.__name__ == "ChromaVectorStore" for c in type(store).__mro__)


class IndexAsker:
    """Asks through a ``VectorIndexRetriever`` that is made anew each time, since one made earlier may be a snapshot.

    Args:
        index: the application's index.
        retriever: the application's retriever, whose settings are copied; None: the index's default.
        store: the native reader behind the index's vector store.
    """

    def __init__(self, index: Any, retriever: Any, store: NativeStore) -> None:
        self._index, self._retriever, self._store = index, retriever, store

    @property
    def by_distance(self) -> bool:
        """Whether the retriever asks for the nearest by the store's metric, so that a longer list only adds to a shorter."""
        mode = getattr(self._retriever, "_vector_store_query_mode", "default")
        return str(getattr(mode, "value", mode)) == "default"

    def ask(self, text: str, vector: Sequence[float], k: int) -> list[Source]:
        """Up to ``k`` sources for one question, best first."""
        from llama_index.core.schema import QueryBundle

        found = self._fresh(k).retrieve(QueryBundle(query_str=text, embedding=list(vector)))
        return [_source(n.node, self._score(n.score)) for n in found]

    def _fresh(self, k: int) -> Any:
        from llama_index.core.callbacks import CallbackManager

        if self._retriever is None:
            retriever = self._index.as_retriever(similarity_top_k=k)
        else:
            retriever = copy.copy(self._retriever)
            retriever.similarity_top_k = k
            if retriever._node_ids:
                retriever._node_ids = list(self._index.index_struct.nodes_dict.values())
        retriever.callback_manager = CallbackManager([])  # the application's traces are of its own questions
        return retriever

    def _score(self, similarity: float | None) -> float | None:
        return self._store.score(similarity) if self.by_distance else similarity


class StoreAsker:
    """Asks a vector store that keeps text, where no index was given."""

    by_distance = True

    def __init__(self, vector_store: Any, store: NativeStore) -> None:
        self._vector_store, self._store = vector_store, store

    def ask(self, text: str, vector: Sequence[float], k: int) -> list[Source]:
        """Up to ``k`` sources for one question, best first."""
        from llama_index.core.vector_stores.types import VectorStoreQuery

        query = VectorStoreQuery(query_embedding=list(vector), similarity_top_k=k, query_str=text)
        found = self._vector_store.query(query)
        nodes = list(found.nodes or ())
        scores = list(found.similarities or [None] * len(nodes))
        return [_source(node, self._store.score(score)) for node, score in zip(nodes, scores, strict=True)]


def _source(node: Any, score: float | None) -> Source:
    return Source(node.node_id, str(node.get_content()), dict(node.metadata), score)
