"""From a LangChain object, or the spec of one, to a target."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from darnel.adapters.apps.load import load_app
from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.chroma.connect import LOCK_WAIT, folder_checks
from darnel.adapters.folder import FolderLock
from darnel.adapters.langchain.apps.find import find_stores
from darnel.adapters.langchain.apps.open import (
    App,
    asked,
    asked_apart,
    is_app,
    look_into,
    required_parameters,
    takes_question,
)
from darnel.adapters.langchain.asking import Asking, read_retriever
from darnel.adapters.langchain.checks import langchain_checks
from darnel.adapters.langchain.corpus import LangChainCorpus
from darnel.adapters.langchain.stores.find import keeps
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Check, CorpusReader, Target
from darnel.core.errors import UsageError, blame_target
from darnel.embedders.base import Embedder

EXAMPLE = "langchain:myapp.rag:vectorstore"


def open_langchain(
    spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open ``langchain:module:attr``: a vector store, a ``VectorStoreRetriever``, an application that holds a store, or a
    function that makes one of these. ``?store=PATH`` names one of several stores in an application.

    The module is imported with the current folder on the path. With ``exclusive``, other darnel processes that want the
    folder of an embedded Chroma wait until the target is closed.

    Raises:
        UsageError: the spec is not of that form, cannot be imported, or names something else.
        TargetError: importing or making it failed, or the store cannot be planted into.
    """
    module, colon, attr = spec.where.partition(":")
    if not colon or spec.container or set(spec.parameters) - {"store"}:
        raise UsageError(f"write langchain:MODULE:ATTR and nothing after it, for instance {EXAMPLE}")
    found = _load(spec.where)
    if (store := _named_apart(found, app)) is not None:
        return asked_apart(found, spec.where, store, app)
    # where the store itself has no lasting name: the file that makes it, and under which name
    file = getattr(sys.modules[module], "__file__", None) or module
    place = f"{os.path.realpath(file)}:{attr}"
    wanted = app.store or spec.parameters.get("store")
    target, corpus, inside = _target(found, embedder, place, app, attr, wanted)
    folder = getattr(corpus.access, "folder", None)
    lock = FolderLock(folder, wait=LOCK_WAIT) if folder is not None and exclusive else None
    if lock is not None:
        lock.acquire()

    def checks() -> Iterator[Check]:
        yield from folder_checks(folder)
        yield from target.checks()

    choice = "?" + urlencode({"store": inside.chosen.path}) if inside is not None and inside.several else ""
    return replace(
        target,
        spec=f"langchain:{spec.where}{choice}",
        app=f"{target.app} ({spec.where})" if target.app else "",
        checks=checks,
        close=lock.release if lock is not None else lambda: None,
    )


def langchain_target(given: Any, embedder: Embedder | None = None, *, app: AppOptions = DEFAULT_APP) -> Target:
    """A target from a vector store or a ``VectorStoreRetriever`` of the application's, or from the application itself.

    Raises:
        UsageError: it is none of these, or holds no store, or several of which none was chosen.
        TargetError: the store cannot be planted into.
    """
    if (store := _named_apart(given, app)) is not None:
        return asked_apart(given, "app", store, app)
    return _target(given, embedder, f"{os.getpid()}-{id(given):x}", app, "app", app.store)[0]


def langchain_stores(spec: TargetSpec) -> list[str]:
    """Paths of the vector stores in the application that a spec names; raises what ``open_langchain`` does."""
    found = _load(spec.where)
    return [each.path for each in find_stores(found, spec.where.partition(":")[2])]


def _named_apart(given: Any, options: AppOptions) -> Target | None:
    """The store that ``--into`` names, where what is tested is an application."""
    return options.into if isinstance(options.into, Target) and is_app(given) else None


def _target(
    given: Any, embedder: Embedder | None, place: str, options: AppOptions, name: str, wanted: str | None
) -> tuple[Target, LangChainCorpus, App | None]:
    """The target, its corpus, and the application, where it is one; ``place`` identifies a store without a lasting name."""
    from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

    inside, store, asking = None, given, Asking()
    if isinstance(given, VectorStoreRetriever) and keeps(given, VectorStoreRetriever, "_get_relevant_documents"):
        store, asking = given.vectorstore, read_retriever(given)
    elif not isinstance(given, VectorStore):
        if not is_app(given):
            raise UsageError(
                f"cannot test a {type(given).__module__}.{type(given).__name__} yet; give the vector store beneath it, a "
                "chain, a compiled graph, or a function of one argument that takes the question"
            )
        inside = look_into(given, name, wanted)
        store, asking = inside.chosen.store, inside.asking
        place += f"#{inside.chosen.path}" if inside.several else ""
    with blame_target("opening the vector store"):
        corpus = LangChainCorpus(store, asking, embedder, identity=place)
    reader = corpus.access if isinstance(corpus.access, CorpusReader) else None
    target = Target(
        injector=corpus,
        retriever=corpus,
        reader=reader,
        k=corpus.asking.k,
        host=corpus.access.host or "",
        checks=lambda: langchain_checks(corpus, reader, embedder),
    )
    return (target if inside is None else asked(inside, target, options)), corpus, inside


def _load(where: str) -> Any:
    """What ``module:attr`` names, made if it is a factory."""
    return load_app(where, "langchain", lambda found: _is_factory(found, where))


def _is_factory(found: Any, where: str) -> bool:
    """Whether it makes the application, rather than being it.

    Raises:
        UsageError: it can neither be asked nor called without arguments.
    """
    from langchain_core.runnables import Runnable
    from langchain_core.vectorstores import VectorStore

    if isinstance(found, Runnable | VectorStore) or not callable(found) or takes_question(found):
        return False
    if inspect.isclass(found) or inspect.iscoroutinefunction(found) or required_parameters(found) != []:
        raise UsageError(
            f"{where} takes several arguments, or is async or a class; give a plain function without any that makes "
            "the application, or one of one argument that takes the question"
        )
    return True
