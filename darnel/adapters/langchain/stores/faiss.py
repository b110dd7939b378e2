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
from darnel.core.errors import TargetError

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
    def score_sign(self) -> int | None:  # type: ignore[override]  # a property over a class attribute
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
        """See ``StoreAccess.read``; what the docstore has is found by id, and only for the rest are all rows looked at."""
        with self.turn():
            found = {id_: d for id_ in dict.fromkeys(ids) if (d := self._document(id_)) is not None}
            named = self.store.index_to_docstore_id
            absent = set(ids) - found.keys()
            found.update(dict.fromkeys(absent.intersection(named.values()) if absent else ()))
            rows = {id_: row for row, id_ in named.items() if id_ in found} if vectors else {}
            return {id_: self._record(id_, document, rows.get(id_)) for id_, document in found.items()}

    def delete(self, ids: Sequence[str]) -> None:
        """See ``KnownStore.delete``.

        Raises:
            TargetError: a write was cut short between docstore and index; what is in both is deleted all the same.
        """
        try:
            self.store.delete(ids=ids)
        except ValueError:  # raised before anything is deleted, where the index does not name them all
            named = set(ids).intersection(self.store.index_to_docstore_id.values())
            if len(named) == len(ids):
                raise
            if named:
                self.store.delete(ids=list(named))
            raise TargetError(
                f"{len(ids) - len(named)} documents are in the docstore while the index names no row for them, as after a "
                "write that was cut short; build the index anew"
            ) from None

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        with self.turn():
            return list(self.store.index_to_docstore_id.values())

    def _record(self, id_: str, document: Any, row: int | None) -> Record:
        vector = None if row is None else self.store.index.reconstruct(int(row))
        return Record(id_, document.page_content, dict(document.metadata), vector) if document else Record(id_, None)

    def _document(self, id_: str) -> Any:
        found = self.store.docstore.search(id_)
        return None if isinstance(found, str) else found  # a missing id comes back as a sentence
