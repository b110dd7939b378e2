"""Native readers behind LlamaIndex's vector stores, and which store has one."""

from __future__ import annotations

from typing import Any

from darnel.adapters.llamaindex.bookkeeping import Bookkeeping
from darnel.adapters.llamaindex.stores.base import NativeStore, Place
from darnel.core.errors import TargetError

__all__ = ["NativeStore", "Place", "native_store"]

KNOWN = ("SimpleVectorStore", "ChromaVectorStore", "QdrantVectorStore")


def native_store(store: Any, index: Any, books: Bookkeeping | None) -> NativeStore:
    """The native reader behind a vector store; ``index`` and ``books`` where it belongs to an index.

    Raises:
        TargetError: there is none, or the store cannot delete or be read back; says which.
    """
    name = next((c.__name__ for c in type(store).__mro__ if c.__name__ in KNOWN and _is_llamaindex(c)), None)
    if name == "SimpleVectorStore":
        from darnel.adapters.llamaindex.stores.simple import SimpleStore

        if index is None or books is None:
            raise TargetError("a SimpleVectorStore keeps no text; give the index that it belongs to")
        return SimpleStore(store, index, books)
    if name == "ChromaVectorStore":
        from darnel.adapters.llamaindex.stores.chroma import ChromaStore

        return ChromaStore(store)
    if name == "QdrantVectorStore":
        from darnel.adapters.llamaindex.stores.qdrant import QdrantStore

        return QdrantStore(store)
    raise TargetError(f"cannot plant into a {type(store).__name__}: {_why_not(store)}")


def _why_not(store: Any) -> str:
    if not _has(store, "delete_nodes"):
        return "it cannot delete a node by its id, so what is planted could not be taken out again"
    if not _has(store, "get_nodes"):
        return "it cannot read a node back by its id, so nothing about it could be proved"
    return f"of LlamaIndex's stores darnel can read back exactly only {', '.join(KNOWN)}; test the store by its own adapter"


def _has(store: Any, method: str) -> bool:
    """Whether the store has a method of its own for it; the base class only raises."""
    own = getattr(type(store), method, None)
    return own is not None and getattr(own, "__module__", "") != "llama_index.core.vector_stores.types"


def _is_llamaindex(kind: type) -> bool:
    return kind.__module__.split(".")[0] == "llama_index"
