"""Any other store: read through ``get_by_ids`` and deleted through ``delete``, the two that every store may have."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any

from darnel.adapters.langchain.stores.access import SHAPE_SAMPLE, versions
from darnel.core.asking.evidence import canonical_id
from darnel.core.corpus import Capabilities, CorpusDescription, Record
from darnel.core.errors import describe_error
from darnel.core.plant import read_stamp
from darnel.core.planting.shape import learn_shape

ID_KEY = "_id"
"""Metadata key under which some stores return a document's id."""
ADDED_KEYS = (ID_KEY, "_collection_name")


class PlainStore:
    """A store that cannot be counted or scanned, only asked for ids.

    Args:
        store: a ``VectorStore``.
        identity: what tells it from any other store, in this process or the next.
    """

    host: str | None = None
    score_sign: int | None = None
    vector_search: str | None = None
    sampling: Mapping[str, Any] = MappingProxyType({})
    embeds = True  # how, is its own affair

    def __init__(self, store: Any, identity: str) -> None:
        self.store, self._identity = store, identity

    def turn(self) -> AbstractContextManager[Any]:
        """See ``StoreAccess.turn``."""
        return nullcontext()

    def refusal(self) -> str | None:
        """See ``StoreAccess.refusal``; by looking at the class, and by one read that writes nothing."""
        name = type(self.store).__name__
        if not _own(self.store, "delete"):
            return f"{name} does not implement delete, so a plant could not be taken out again; use a store that does"
        if not _own(self.store, "get_by_ids"):
            return f"{name} does not implement get_by_ids, so no plant could be proved to be there or gone"
        if not takes_ids(self.store):
            return f"{name}.add_documents takes no ids, so a plant could not be found again; use a store that does"
        try:
            self.store.get_by_ids([str(uuid.uuid4())])
        except Exception as error:  # a store that cannot read one id
            return f"{name}.get_by_ids does not work here: {describe_error(error)}"
        return None

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``; the size is what one search brings, since such a store cannot be counted."""
        sample = self._sample()
        package = type(self.store).__module__.partition(".")[0].replace("_", "-")
        return CorpusDescription(
            backend=f"langchain/{type(self.store).__name__}",
            container=type(self.store).__name__,
            identity=self._identity,
            size=1 if sample is None else len(sample),
            shape=learn_shape(sample or []),
            capabilities=Capabilities(search=True),
            versions=versions(package),
        )

    def _sample(self) -> list[Record] | None:
        try:
            return sample_documents(self.store.similarity_search, {})
        except Exception:  # a sweep asks nothing, so it must not fail on this; a run fails at its first question
            return None

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``; vectors cannot be read."""
        if not ids:
            return {}
        asked = {canonical_id(id_): id_ for id_ in ids}
        found: dict[str, Record] = {}
        for document in self.store.get_by_ids(list(ids)):
            id_ = document_id(document) or ""
            if canonical_id(id_) not in asked:
                return self._one_by_one(ids)
            id_ = asked[canonical_id(id_)]
            found[id_] = to_record(id_, document)
        return found

    def _one_by_one(self, ids: Sequence[str]) -> dict[str, Record]:
        """For stores whose documents come back without their ids."""
        found = ((id_, self.store.get_by_ids([id_])) for id_ in ids)
        return {id_: to_record(id_, documents[0]) for id_, documents in found if documents}

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``."""
        ours = [id_ for id_, record in self.read(ids).items() if read_stamp(record.metadata)]
        if ours:  # an empty list means "everything" to some stores
            self.store.delete(ids=ours)

    def refuse_elsewhere(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.refuse_elsewhere``; nothing is known of such a store's siblings."""

    def exact_scores(self, asked: Any, planted: Any) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``; nothing is known of its scores."""
        return None


def takes_ids(store: Any) -> bool:
    """Whether a method that writes names a parameter ``ids``; one that merely swallows it does not keep them."""
    methods = [m for m in ("add_documents", "add_texts") if _own(store, m)]
    return any("ids" in inspect.signature(getattr(type(store), m)).parameters for m in methods)


def document_id(document: Any) -> str | None:
    """A document's id: its own, or the one that its store puts into the metadata."""
    found = document.id if document.id is not None else (document.metadata or {}).get(ID_KEY)
    return None if found is None else str(found)


def to_record(id_: str, document: Any) -> Record:
    """A record without a vector; what a store without ``Document.id`` adds to the metadata on the way is left out."""
    added = ADDED_KEYS if document.id is None else ()
    return Record(id_, document.page_content, {k: v for k, v in document.metadata.items() if k not in added})


def sample_documents(search: Callable[..., Any], how: Mapping[str, Any]) -> list[Record]:
    """Some records, as a search brings them."""
    return [to_record(document_id(d) or "", d) for d in search("the", k=SHAPE_SAMPLE, **how)]


def _own(store: Any, method: str) -> bool:
    from langchain_core.vectorstores import VectorStore

    return getattr(type(store), method) is not getattr(VectorStore, method)
