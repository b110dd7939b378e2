"""From an object of the application's to a target, by what it is, importing only what it came from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.checks import corpus_checks
from darnel.core.corpus import CorpusInjector, CorpusReader, Retriever, Target
from darnel.core.errors import UsageError
from darnel.embedders.base import Embedder


def target_from_object(given: Any, embedder: Embedder | None, app: AppOptions = DEFAULT_APP) -> Target:
    """A target from a ``Target``; a memory corpus; a Chroma collection; a Qdrant client with the name of its collection; a
    LangChain vector store, retriever, chain, graph or agent; a LlamaIndex index, vector store, retriever, engine or agent; a
    function with one of these behind it; anything that satisfies the protocols; or a function of the application's, where
    ``app.into`` says where to plant.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(given, Target):
        return given
    if (build := _builder(given)) is not None:
        return build(given, embedder, app)
    if app.into is None and _searches_langchain(given):
        return _langchain(given, embedder, app)
    if isinstance(given, CorpusInjector):
        retriever = given if isinstance(given, Retriever) else None
        if isinstance(given, CorpusReader):
            return Target(given, retriever, given, checks=lambda: corpus_checks(given, given))
        return Target(given, retriever)
    if app.into is None and _searches_llamaindex(given):
        return _llamaindex(given, embedder, app)
    if callable(given) and not isinstance(given, type):
        from darnel.adapters.python.call import python_target

        return python_target(given, getattr(given, "__qualname__", type(given).__name__), app)
    raise UsageError(
        f"cannot test a {type(given).__module__}.{type(given).__name__}; give a target spec, a Chroma collection, "
        "(qdrant_client, 'collection'), a LangChain vector store, a LlamaIndex index, or an object with describe, inject, "
        "remove and read"
    )


def is_known(given: Any) -> bool:
    """Whether an object is a store, or of a framework, that darnel plants through as it is."""
    return isinstance(given, Target | CorpusInjector) or _builder(given) is not None


def _builder(given: Any) -> Callable[[Any, Embedder | None, AppOptions], Target] | None:
    source = given[0] if isinstance(given, tuple) and len(given) == 2 else given
    for base in type(source).__mro__:  # an application's own subclass is what its base is
        for prefix, build in _BY_MODULE.items():
            if base.__module__ == prefix or base.__module__.startswith(prefix + "."):
                return build
    return None


def _chroma(given: Any, embedder: Embedder | None, _app: AppOptions) -> Target:
    from darnel.adapters.chroma.connect import chroma_target

    if type(given).__name__ != "Collection":
        raise UsageError("give the Chroma collection rather than its client: client.get_collection(name)")
    return chroma_target(given, embedder)


def _langchain(given: Any, embedder: Embedder | None, app: AppOptions) -> Target:
    from darnel.adapters.langchain.open import langchain_target

    return langchain_target(given, embedder, app=app)


def _searches_langchain(given: Any) -> bool:
    """Whether it is a function, or an object that is called as one, with a LangChain vector store behind it."""
    if "langchain_core" not in sys.modules or not callable(given) or isinstance(given, type):
        return False
    from darnel.adapters.langchain.apps.find import find_stores
    from darnel.adapters.langchain.apps.open import is_app

    return is_app(given) and bool(find_stores(given))


def _llamaindex(given: Any, embedder: Embedder | None, app: AppOptions) -> Target:
    from darnel.adapters.llamaindex import llamaindex_target

    return llamaindex_target(given, embedder, app=app)


def _searches_llamaindex(given: Any) -> bool:
    """Whether it can be called, with one argument, and has a LlamaIndex store behind it."""
    if "llama_index.core" not in sys.modules or not callable(given):
        return False
    from darnel.adapters.llamaindex.apps.find import find_stores
    from darnel.adapters.llamaindex.apps.own import is_app

    return is_app(given) and bool(find_stores(given))


def _memory(given: Any, _embedder: Embedder | None, _app: AppOptions) -> Target:
    from darnel.adapters.memory import MemoryCorpus, memory_target

    if not isinstance(given, MemoryCorpus):
        raise UsageError("give a MemoryCorpus")
    return memory_target(given)


def _qdrant(given: Any, embedder: Embedder | None, _app: AppOptions) -> Target:
    from darnel.adapters.qdrant.connect import qdrant_target

    if not isinstance(given, tuple) or not isinstance(given[1], str):
        raise UsageError("give the Qdrant client with the name of its collection: (client, 'docs')")
    return qdrant_target(given[0], given[1], embedder)


_BY_MODULE: dict[str, Callable[[Any, Embedder | None, AppOptions], Target]] = {
    "chromadb": _chroma,
    "darnel.adapters.memory": _memory,
    "langchain_core": _langchain,
    "llama_index": _llamaindex,
    "qdrant_client": _qdrant,
}
