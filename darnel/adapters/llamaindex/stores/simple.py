"""SimpleVectorStore: vectors in this process, texts in the docstore of its index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from darnel.adapters.llamaindex.bookkeeping import Bookkeeping
from darnel.adapters.llamaindex.nodes import DEFAULT_STYLE, StoredNode, read_node
from darnel.adapters.llamaindex.stores.base import Place
from darnel.core.plant import KIT_KEY, KIT_VALUE


class SimpleStore:
    """Reads ``.data`` and the docstore."""

    honours_node_ids = True
    honours_doc_ids = False
    folder = ""
    host = ""

    def __init__(self, store: Any, index: Any, books: Bookkeeping) -> None:
        self._store, self._index, self._books = store, index, books

    def place(self) -> Place:
        """See ``NativeStore.place``; the index is known by its index id, which persisting keeps."""
        from llama_index.core.storage.docstore import SimpleDocumentStore

        vectors = self._store.data.embedding_dict
        return Place(
            container=f"SimpleVectorStore/{self._index.index_id}",
            identity=self._index.index_id,
            size=len(vectors),
            dimension=len(next(iter(vectors.values()))) if vectors else None,
            metric="cosine",
            exact=True,
            # a docstore in a database outlives this process, and a plant's entry with it
            volatile=isinstance(self._index.docstore, SimpleDocumentStore),
        )

    def refuse_unwritable(self) -> None:
        """See ``NativeStore.refuse_unwritable``; it always can be."""

    def refuse(self, nodes: Sequence[Any]) -> None:
        """See ``NativeStore.refuse``; it takes any."""

    def ids(self) -> list[str]:
        """See ``NativeStore.ids``."""
        return list(self._store.data.embedding_dict)

    def sample(self, count: int) -> list[StoredNode]:
        """See ``NativeStore.sample``."""
        ids = self.ids()
        return list(self.fetch(ids[:: max(1, len(ids) // count)]).values())

    def fetch(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredNode]:
        """See ``NativeStore.fetch``."""
        data = self._store.data
        present = [id_ for id_ in ids if id_ in data.embedding_dict]
        nodes, beside = self._books.nodes(present), data.metadata_dict or {}
        found = {}
        for id_ in present:
            vector = data.embedding_dict[id_] if vectors else None
            if id_ in nodes:
                found[id_] = read_node(nodes[id_], beside.get(id_), vector)
            else:
                found[id_] = StoredNode(id_, None, beside.get(id_, {}), vector, DEFAULT_STYLE)
        return found

    def plants(self) -> set[str]:
        """See ``NativeStore.plants``."""
        return {
            id_ for id_, beside in (self._store.data.metadata_dict or {}).items() if beside.get(KIT_KEY) == KIT_VALUE
        }

    def delete(self, ids: Sequence[str]) -> None:
        """See ``NativeStore.delete``."""
        self._store.delete_nodes(node_ids=list(ids))

    def score(self, similarity: float | None) -> float | None:
        """See ``NativeStore.score``: a cosine."""
        return similarity

    def exact_scores(self, asked: Any, planted: Any) -> Sequence[float] | None:
        """See ``NativeStore.exact_scores``; the search is exact itself."""
        return None

    def dense(self, vector: Any) -> Any:
        """See ``NativeStore.dense``; there is only one."""
        return vector
