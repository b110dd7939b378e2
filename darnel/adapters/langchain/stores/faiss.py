"""FAISS of langchain-community: an index without ids, and a docstore that has them.

Its ways that this works around: adding an id that exists raises only after the vector went in, so that index and
docstore drift apart; deleting one id that is missing deletes none; only flat indexes renumber as the docstore does.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

from darnel.adapters.langchain.stores.access import KnownStore, versions
from darnel.core.corpus import Capabilities, CorpusDescription, Record

FLAT = ("IndexFlat", "IndexScalarQuantizer")
"""Index classes that close the gap when a row is removed and give rows back as they hold them."""
INNER_PRODUCT = 0
L2 = 1

_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
"""Index → who may use it now."""


class FaissStore(KnownStore):
    """``store.index`` beside ``store.docstore``, tied by ``store.index_to_docstore_id``."""

    sends_absent = False  # one that is missing makes it delete none
    # its own pool of 20 may hold none that a filter lets pass
    sampling: Mapping[str, Any] = MappingProxyType({"fetch_k": 1_000})

    @property
    def score_sign(self) -> int | None:  # type: ignore[override]
        """See ``StoreAccess.score_sign``; inner products grow with similarity, distances fall."""
        return {INNER_PRODUCT: 1, L2: -1}.get(self.store.index.metric_type)

    @property
    def embeds(self) -> bool:
        """See ``StoreAccess.embeds``; a plain function will do, which the store does not show."""
        return callable(self.store.embedding_function) or super().embeds

    def turn(self) -> AbstractContextManager[Any]:
        """See ``StoreAccess.turn``; two writes at once would tear index and docstore apart."""
        return _locks.setdefault(self.store.index, threading.RLock())

    def refusal(self) -> str | None:
        """See ``StoreAccess.refusal``."""
        kind = type(self.store.index).__name__
        if not any(base.__name__ in FLAT for base in type(self.store.index).__mro__):
            return (
                f"this FAISS index ({kind}) cannot give up single rows, so a plant could not be taken out again; "
                "test a copy of the corpus in a flat index (IndexFlatL2 or IndexFlatIP)"
            )
        if not hasattr(self.store.docstore, "delete"):
            return f"the docstore {type(self.store.docstore).__name__} cannot delete; use an InMemoryDocstore"
        return self._disagreement()

    def _disagreement(self) -> str | None:
        with self.turn():
            rows, names = self.store.index.ntotal, dict(self.store.index_to_docstore_id)
        known = set(names.values())
        lost = [id_ for id_ in known if self._document(id_) is None]
        if rows == len(names) == len(known) and set(names) == set(range(rows)) and not lost:
            return None
        return (
            f"index and docstore disagree ({rows} vectors, {len(names)} rows named, {len(known) - len(lost)} documents), "
            "as after adding an id twice; build the index anew"
        )

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        index = self.store.index
        return CorpusDescription(
            backend="langchain/faiss",
            container=type(index).__name__,
            identity=f"{os.getpid()}-{id(self.store.index):x}",
            size=len(self.store.index_to_docstore_id),
            dimension=int(index.d),
            metric={INNER_PRODUCT: "inner product", L2: "l2"}.get(index.metric_type),
            shape=self.shape(),
            capabilities=Capabilities(scan=True, vectors=True, search=True, exact=True, volatile=True),
            versions=versions("langchain-community", "faiss-cpu"),
        )

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""
        wanted = set(ids)
        with self.turn():
            rows = {id_: row for row, id_ in self.store.index_to_docstore_id.items() if id_ in wanted}
            return {id_: self._record(id_, rows[id_] if vectors else None) for id_ in ids if id_ in rows}

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        with self.turn():
            return list(self.store.index_to_docstore_id.values())

    def _record(self, id_: str, row: int | None) -> Record:
        document = self._document(id_)
        vector = None if row is None else self.store.index.reconstruct(int(row))
        return Record(id_, document.page_content, dict(document.metadata), vector) if document else Record(id_, None)

    def _document(self, id_: str) -> Any:
        found = self.store.docstore.search(id_)
        return None if isinstance(found, str) else found  # a missing id comes back as a sentence
