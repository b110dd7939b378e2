"""Adapters by name: looked up lazily, with the exact line that installs what is missing.

Third parties add theirs through the entry-point group ``darnel.adapters``: a function like ``open_chroma``, taking a
``TargetSpec``, an embedder or None, and ``exclusive``.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Protocol

from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Target
from darnel.core.errors import TargetError, UnknownNameError, UsageError
from darnel.embedders.base import Embedder

ENTRY_POINTS = "darnel.adapters"


class Opener(Protocol):
    """Opens a target from its spec; one whose entry says ``apps`` also takes ``app``, an ``AppOptions``."""

    def __call__(self, spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True) -> Target:
        """Open it, creating nothing. Raises TargetError with what to do."""
        ...


@dataclass(frozen=True, slots=True)
class AdapterEntry:
    """One adapter: ``opener`` is ``module:function``, ``needs`` the package it imports (empty: none).

    ``apps``: its targets may be applications, so that it wants to know how to ask them.
    """

    name: str
    opener: str
    summary: str
    example: str
    needs: str = ""
    install: str = ""
    apps: bool = False

    @property
    def installed(self) -> bool:
        """Whether the package it needs can be imported."""
        return not self.needs or find_spec(self.needs) is not None


BUILT_IN: Mapping[str, AdapterEntry] = {
    entry.name: entry
    for entry in (
        AdapterEntry(
            "chroma",
            "darnel.adapters.chroma.connect:open_chroma",
            "a Chroma collection: a folder, or a 'chroma run' server",
            "chroma:./db#docs",
            "chromadb",
            "pip install 'darnel[chroma]'",
        ),
        AdapterEntry(
            "langchain",
            "darnel.adapters.langchain.open:open_langchain",
            "a LangChain vector store or VectorStoreRetriever of yours, or a function that makes one",
            "langchain:myapp.rag:vectorstore",
            "langchain_core",
            "pip install 'darnel[langchain]'",
            apps=True,
        ),
        AdapterEntry(
            "llamaindex",
            "darnel.adapters.llamaindex.connect:open_llamaindex",
            "a LlamaIndex index, its retriever or vector store, a whole application (engine, agent, function), or what makes one",
            "llamaindex:myapp.rag:index",
            "llama_index",
            "pip install 'darnel[llamaindex]'",
            apps=True,
        ),
        AdapterEntry(
            "memory",
            "darnel.adapters.memory.open:open_memory",
            "a BEIR corpus.jsonl in this process; #bm25, #counts or #dense",
            "memory:./corpus.jsonl#bm25",
        ),
        AdapterEntry(
            "qdrant",
            "darnel.adapters.qdrant.connect:open_qdrant",
            "a Qdrant collection: a local-mode folder, or a server over REST or gRPC",
            "qdrant:./data#docs",
            "qdrant_client",
            "pip install 'darnel[qdrant]'",
        ),
    )
}


def known_adapters() -> dict[str, AdapterEntry]:
    """Built-in and third-party adapters, by name.

    Raises:
        UsageError: two packages claim one name.
    """
    found = dict(BUILT_IN)
    for point in entry_points(group=ENTRY_POINTS):
        if point.name in found:
            raise UsageError(f"two packages claim the adapter name '{point.name}'; uninstall one of them")
        package = point.dist.name if point.dist else point.module
        found[point.name] = AdapterEntry(
            point.name, f"{point.module}:{point.attr}", f"from {package}", f"{point.name}:..."
        )
    return dict(sorted(found.items()))


def require(name: str) -> AdapterEntry:
    """An adapter's entry, once its package is known to be there.

    Raises:
        UnknownNameError: no adapter of that name.
        TargetError: its package is not installed; says how to install it.
    """
    entry = known_adapters().get(name)
    if entry is None:
        raise UnknownNameError("adapter", name, known_adapters())
    if not entry.installed:
        raise TargetError(f"the {name} adapter needs the package {entry.needs}; run: {entry.install}")
    return entry


def takes_apps(name: str) -> bool:
    """Whether an adapter's opener takes ``app``."""
    return name in BUILT_IN and BUILT_IN[name].apps


def load_opener(name: str) -> Opener:
    """The function that opens an adapter's targets; raises what ``require`` does."""
    module, _, attr = require(name).opener.partition(":")
    opener: Opener = getattr(importlib.import_module(module), attr)
    return opener
