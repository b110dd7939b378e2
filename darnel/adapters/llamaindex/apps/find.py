"""Find the store that an application reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from darnel.adapters.apps.choice import choose
from darnel.adapters.apps.walk import Found, walk
from darnel.adapters.llamaindex.apps.own import worth_a_look

HAND_OVER = "hand it over with --into TARGET, for instance --into llamaindex:module:index"


@dataclass(frozen=True, slots=True)
class FoundStore:
    """A vector store in an application. ``index``: the index around it, where there is one. ``retrievers``: those of the
    application's that search it, with their paths, nearest first.
    """

    path: str
    vector_store: Any
    index: Any = None
    retrievers: tuple[Found, ...] = ()


def find_stores(app: Any, name: str = "app") -> list[str]:
    """Paths of the stores in an application, nearest first, as ``AppOptions.store`` takes them."""
    return [found.path for found in all_stores(app, name)]


def choose_store(app: Any, name: str, wanted: str | None) -> FoundStore:
    """The store to plant into: the only one, or the one that ``wanted`` names by its path or the end of it.

    Raises:
        UsageError: there is none, or there are several and none was chosen; lists them.
        UnknownNameError: the one chosen is not there, or it is not one.
    """
    found = all_stores(app, name)
    none = (
        f"found no vector store in {name} (a {type(app).__name__}), having looked through its attributes, retrievers, "
        f"tools, closures and the globals that its functions name; {HAND_OVER}"
    )
    return choose(found, wanted, name, none)


def all_stores(app: Any, name: str) -> list[FoundStore]:
    """Every store in an application, nearest first; an index counts once with its store, and a retriever with its index."""
    from llama_index.core.indices.vector_store.base import VectorStoreIndex
    from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever

    found = _found(app, name)
    retrievers = walk(app, name, lambda item: isinstance(item, VectorIndexRetriever), worth_a_look)
    stores: list[FoundStore] = []
    for path, item in sorted(found, key=lambda pair: not isinstance(pair[1], VectorStoreIndex)):  # indexes first
        index = item if isinstance(item, VectorStoreIndex) else None
        vector_store = item if index is None else index.vector_store
        if any(_same(vector_store, store.vector_store) for store in stores):
            continue
        readers = tuple(r for r in retrievers if _same(r[1]._vector_store, vector_store))
        stores.append(FoundStore(path, vector_store, index, readers))
    order = [path for path, _item in found]
    full = [store for store in stores if not _is_empty(store.vector_store)]
    return sorted(full or stores, key=lambda store: order.index(store.path))


def only_embed_model(app: Any, name: str) -> Any:
    """The embed model of an application, if it has exactly one."""
    from llama_index.core.base.embeddings.base import BaseEmbedding

    models = {id(item): item for _path, item in find_all(app, name, lambda item: isinstance(item, BaseEmbedding))}
    return next(iter(models.values())) if len(models) == 1 else None


def find_all(app: Any, name: str, wanted: Callable[[Any], bool]) -> list[Found]:
    """Everything of a kind in an application."""
    return walk(app, name, wanted, worth_a_look)


def store_objects(app: Any, name: str) -> list[Any]:
    """Every vector store object in an application, those within indexes too; two may stand for one store."""
    from llama_index.core.indices.vector_store.base import VectorStoreIndex

    found = [item.vector_store if isinstance(item, VectorStoreIndex) else item for _path, item in _found(app, name)]
    return list({id(item): item for item in found}.values())


def _found(app: Any, name: str) -> list[Found]:
    """Indexes and vector stores, nearest first."""
    from llama_index.core.indices.vector_store.base import VectorStoreIndex
    from llama_index.core.vector_stores.types import BasePydanticVectorStore

    kinds = (VectorStoreIndex, BasePydanticVectorStore)
    return walk(app, name, lambda item: isinstance(item, kinds), worth_a_look)


def _same(one: Any, other: Any) -> bool:
    """Whether two store objects are one store: the same object, or two over one client's collection."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    place = _place(one)
    return place is not None and place == _place(other)


def _is_empty(vector_store: Any) -> bool:
    """Whether it is a store in memory without anything in it, as every ``StorageContext`` makes one for images."""
    from llama_index.core.vector_stores import SimpleVectorStore

    return isinstance(vector_store, SimpleVectorStore) and not vector_store.data.embedding_dict


def _place(vector_store: Any) -> tuple[int, str] | None:
    for holder in ("_collection", "_client"):
        native = getattr(vector_store, holder, None)
        if native is not None:
            where = getattr(native, "id", None) or id(native)
            return hash(str(where)), str(getattr(vector_store, "collection_name", ""))
    return None
