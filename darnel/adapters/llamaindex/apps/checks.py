"""What is worth knowing of an application before it is tested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from darnel.adapters.llamaindex.apps.find import FoundStore, find_all
from darnel.adapters.llamaindex.asking import is_snapshot
from darnel.core.corpus import Check

BUILD_ANEW = "make the engine for each request, or put the index over a store that keeps text"


def stale(found: FoundStore) -> str | None:
    """Why no retriever of the application can return a document that came after it was made, if so."""
    pinned = [path for path, retriever in found.retrievers if is_snapshot(retriever)]
    if not pinned or len(pinned) < len(found.retrievers):
        return None
    why = "pinned the ids of its nodes when it was made, so it returns no later document"
    return f"stale snapshot: {pinned[0]} {why}; {BUILD_ANEW}"


def app_checks(app: Any, name: str, found: FoundStore | None) -> Iterator[Check]:
    """The store that was found, snapshots, retrievers that differ, and caches."""
    if found is not None:
        yield Check("application", True, f"a {type(app).__name__}; its store was found at {found.path}")
        yield from _snapshots(found)
        yield from _others(found)
    yield from _caches(app, name)


def _snapshots(found: FoundStore) -> Iterator[Check]:
    for path, retriever in found.retrievers:
        if is_snapshot(retriever):
            detail = f"{path} returns no document that came after it was made"
            yield Check("stale snapshot", None, detail, f"{BUILD_ANEW[0].upper()}{BUILD_ANEW[1:]}.")


def _others(found: FoundStore) -> Iterator[Check]:
    """Retrievers of the same store that read another number of sources, or through other filters."""
    for path, retriever in found.retrievers[1:]:
        first_path, first = found.retrievers[0]
        if (retriever.similarity_top_k, retriever._filters) != (first.similarity_top_k, first._filters):
            detail = f"{path} reads otherwise than {first_path}, whose filter and number of sources count"
            yield Check("another retriever", None, detail, "Test it by itself too.")


def _caches(app: Any, name: str) -> Iterator[Check]:
    """Caches may answer from a document that is gone."""
    for path, _cache in find_all(app, name, _is_cache):
        yield Check("cache", None, f"{path} may answer from a document after it is removed", "Clear it after the test.")


def _is_cache(item: Any) -> bool:
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.base.llms.base import BaseLLM
    from llama_index.core.ingestion import IngestionCache

    if isinstance(item, BaseEmbedding):
        return getattr(item, "embeddings_cache", None) is not None
    if isinstance(item, BaseLLM):
        return any(getattr(item, name, None) for name in ("cache", "llm_cache"))
    return isinstance(item, IngestionCache)
