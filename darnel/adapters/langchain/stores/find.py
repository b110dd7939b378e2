"""From a vector store to what darnel knows of it, by its class or a class it descends from."""

from __future__ import annotations

import importlib
from typing import Any

from darnel.adapters.langchain.stores.access import KnownStore, StoreAccess
from darnel.adapters.langchain.stores.plain import PlainStore

KNOWN = {
    ("langchain_core", "InMemoryVectorStore"): "memory:MemoryStore",
    ("langchain_chroma", "Chroma"): "chroma:ChromaStore",
    ("langchain_qdrant", "QdrantVectorStore"): "qdrant:QdrantStore",
    ("langchain_community", "FAISS"): "faiss:FaissStore",
    ("langchain_postgres", "PGVector"): "pgvector:CollectionStore",
    ("langchain_postgres", "PGVectorStore"): "pgtable:TableStore",
}
"""Package and class → module and class of ours."""


def find_access(store: Any, identity: str) -> tuple[StoreAccess, type | None]:
    """How to read and clean a store, and the class it is known by, if it is.

    Raises:
        ContainerMissingError: what the store writes to is not there.
        TargetError: it cannot be used at all from here.
    """
    for base in type(store).__mro__:
        ours = KNOWN.get((base.__module__.partition(".")[0], base.__name__))
        if ours is not None:
            module, _, name = ours.partition(":")
            found = getattr(importlib.import_module(f"darnel.adapters.langchain.stores.{module}"), name)
            access: KnownStore = found(store)
            return access, base
    return PlainStore(store, identity), None


def keeps(store: Any, known: type | None, *methods: str) -> bool:
    """Whether a store's methods are those of the class it is known by, and not an application's own."""
    return known is not None and all(getattr(type(store), m) is getattr(known, m) for m in methods)
