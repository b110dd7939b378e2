"""LangChain's FAISS; the store is the object itself, and the witness looks at its index and its docstore."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import Declared

from .langchain_store import Embeddings, LangChainFixtures, LangChainSuite

faiss = pytest.importorskip("faiss", reason="needs faiss-cpu; run: pip install faiss-cpu")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the package announces its end
    pytest.importorskip("langchain_community", reason="needs langchain-community; run: pip install langchain-community")
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS


class FaissFixtures(LangChainFixtures):
    declared: ClassVar[Declared] = Declared(named=False, neighbours=False, second_client=False)
    patience: ClassVar[float] = 0.2

    @pytest.fixture
    def store(self) -> Any:
        made = self.empty()
        self.write(made, self.records())
        return made

    def empty(self) -> Any:
        return FAISS(None, faiss.IndexFlatL2(self.embedder().dimension), InMemoryDocstore(), {})  # type: ignore[arg-type]

    def vectorstore(self, store: Any, embeddings: Embeddings | None) -> Any:
        store.embedding_function = embeddings  # there is no second object over the same index
        return store

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return self.open(self.empty(), embedder)

    def witness(self, store: Any) -> list[Record]:
        found = []
        for position, id_ in store.index_to_docstore_id.items():
            document = store.docstore._dict[id_]
            vector = store.index.reconstruct(position)
            found.append(Record(id_, document.page_content, dict(document.metadata), vector))
        assert len(found) == store.index.ntotal == len(store.docstore._dict)
        return found

    def write(self, store: Any, records: Sequence[Record]) -> None:
        held = [r.id for r in records if r.id in store.docstore._dict]
        if held:
            self.delete(store, held)
        store.add_embeddings(
            [(r.text or "", [float(x) for x in r.vector]) for r in records],
            metadatas=[dict(r.metadata or {}) for r in records],
            ids=[r.id for r in records],
        )

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.delete(list(ids))

    def structure(self, store: Any) -> object:
        return type(store.index).__name__, store.index.d, store.index.metric_type, store.distance_strategy


class TestLangChainFaiss(FaissFixtures, LangChainSuite):
    """Exact search in a flat index."""
