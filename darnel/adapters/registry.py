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

    ``needs`` may name several packages, with spaces between. ``apps``: its targets may be applications, so that it wants
    to know how to ask them. ``stores``: ``module:function`` that takes a ``TargetSpec`` and returns the paths of the
    stores found in its application, each to be given to it as ``AppOptions.store``.
    """

    name: str
    opener: str
    summary: str
    example: str
    needs: str = ""
    install: str = ""
    apps: bool = False
    stores: str = ""

    @property
    def installed(self) -> bool:
        """Whether the packages it needs can be imported."""
        return all(find_spec(package) is not None for package in self.needs.split())


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
            "http",
            "darnel.adapters.http.open:open_http",
            "an application behind a URL that answers in JSON; plants go --into its store",
            "http://localhost:8000/ask --into chroma:./db#docs",
            "httpx jmespath",
            "pip install 'darnel[http]'",
            apps=True,
        ),
        AdapterEntry(
            "langchain",
            "darnel.adapters.langchain.open:open_langchain",
            "a LangChain vector store, retriever, chain, graph or agent of yours, or a function that makes or asks one",
            "langchain:myapp.rag:vectorstore",
            "langchain_core",
            "pip install 'darnel[langchain]'",
            apps=True,
            stores="darnel.adapters.langchain.open:langchain_stores",
        ),
        AdapterEntry(
            "llamaindex",
            "darnel.adapters.llamaindex.connect:open_llamaindex",
            "a LlamaIndex index, its retriever or vector store, a whole application (engine, agent, function), or what makes one",
            "llamaindex:myapp.rag:index",
            "llama_index",
            "pip install 'darnel[llamaindex]'",
            apps=True,
            stores="darnel.adapters.llamaindex.connect:stores_in",
        ),
        AdapterEntry(
            "memory",
            "darnel.adapters.memory.open:open_memory",
            "a BEIR corpus.jsonl in this process; #bm25, #counts or #dense",
            "memory:./corpus.jsonl#bm25",
        ),
        AdapterEntry(
            "python",
            "darnel.adapters.python.load:open_python",
            "a function of yours that takes a question, with the store it reads; or a store object of yours",
            "python:myapp.rag:ask --into python:myapp.rag:collection",
            apps=True,
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


def find_stores(spec: TargetSpec) -> list[str]:
    """Paths of all stores found in the application that a spec names.

    Raises:
        UsageError: its adapter looks for none.
        TargetError: what ``require`` raises, or the application could not be made.
    """
    module, colon, attr = require(spec.adapter).stores.partition(":")
    if not colon:
        raise UsageError(f"a target of the {spec.adapter} adapter names its store itself; leave --all-stores away")
    return list(getattr(importlib.import_module(module), attr)(spec))


def load_opener(name: str) -> Opener:
    """The function that opens an adapter's targets; raises what ``require`` does."""
    module, _, attr = require(name).opener.partition(":")
    opener: Opener = getattr(importlib.import_module(module), attr)
    return opener
