"""From a LangChain object, or the spec of one, to a target."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.chroma.connect import LOCK_WAIT, folder_checks
from darnel.adapters.folder import FolderLock
from darnel.adapters.langchain.asking import Asking, read_retriever
from darnel.adapters.langchain.checks import langchain_checks
from darnel.adapters.langchain.corpus import LangChainCorpus
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Check, CorpusReader, Target
from darnel.core.errors import DarnelError, TargetError, UsageError, blame_target, describe_error
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import import_attr

EXAMPLE = "langchain:myapp.rag:vectorstore"


def open_langchain(
    spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open ``langchain:module:attr``: a vector store, a ``VectorStoreRetriever``, or a function that makes one.

    The module is imported with the current folder on the path. With ``exclusive``, other darnel processes that want the
    folder of an embedded Chroma wait until the target is closed.

    Raises:
        UsageError: the spec is not of that form, cannot be imported, or names something else.
        TargetError: importing or making it failed, or the store cannot be planted into.
    """
    module, colon, attr = spec.where.partition(":")
    if not colon or spec.container or spec.parameters:
        raise UsageError(f"write langchain:MODULE:ATTR and nothing after it, for instance {EXAMPLE}")
    found = _load(spec.where)
    # where the store itself has no lasting name: the file that makes it, and under which name
    file = getattr(sys.modules[module], "__file__", None) or module
    corpus = _corpus(found, embedder, f"{os.path.realpath(file)}:{attr}")
    folder = getattr(corpus.access, "folder", None)
    lock = FolderLock(folder, wait=LOCK_WAIT) if folder is not None and exclusive else None
    if lock is not None:
        lock.acquire()

    def checks() -> Iterator[Check]:
        yield from folder_checks(folder)
        yield from langchain_checks(corpus, _reader(corpus), embedder)

    return Target(
        injector=corpus,
        retriever=corpus,
        reader=_reader(corpus),
        spec=f"langchain:{spec.where}",
        k=corpus.asking.k,
        host=corpus.access.host or "",
        checks=checks,
        close=lock.release if lock is not None else lambda: None,
    )


def langchain_target(given: Any, embedder: Embedder | None = None, *, app: AppOptions = DEFAULT_APP) -> Target:
    """A target from a vector store or a ``VectorStoreRetriever`` of the application's.

    Raises:
        UsageError: it is neither.
        TargetError: the store cannot be planted into.
    """
    corpus = _corpus(given, embedder, f"{os.getpid()}-{id(given):x}")
    return Target(
        injector=corpus,
        retriever=corpus,
        reader=_reader(corpus),
        k=corpus.asking.k,
        host=corpus.access.host or "",
        checks=lambda: langchain_checks(corpus, _reader(corpus), embedder),
    )


def _load(where: str) -> Any:
    """What ``module:attr`` names, made if it is a factory; the application's prints go to standard error."""
    from langchain_core.runnables import Runnable
    from langchain_core.vectorstores import VectorStore

    with redirect_stdout(sys.stderr):
        try:
            found = import_attr(where, "langchain:")
            if isinstance(found, Runnable | VectorStore) or not callable(found):
                return found
            if inspect.isclass(found) or inspect.iscoroutinefunction(found) or _wants_arguments(found):
                raise UsageError(f"{where} takes arguments, or is async or a class; give a plain function without any")
            return found()
        except DarnelError as error:
            missing = error.__context__
            if isinstance(missing, ModuleNotFoundError) and missing.name not in _packages(where):
                raise TargetError(f"{where} needs the package {missing.name}; install it beside darnel") from None
            raise
        except Exception as error:  # the application's
            raise TargetError(f"{where} failed while it made the store: {describe_error(error)}") from error


def _packages(where: str) -> set[str]:
    """The module of ``module:attr`` and the packages it lies in."""
    parts = where.partition(":")[0].split(".")
    return {".".join(parts[: n + 1]) for n in range(len(parts))}


def _wants_arguments(factory: Any) -> bool:
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def _corpus(given: Any, embedder: Embedder | None, identity: str) -> LangChainCorpus:
    from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

    store, asking = given, Asking()
    plain = VectorStoreRetriever._get_relevant_documents
    if isinstance(given, VectorStoreRetriever) and type(given)._get_relevant_documents is plain:
        store, asking = given.vectorstore, read_retriever(given)
    if not isinstance(store, VectorStore):
        raise UsageError(
            f"cannot test a {type(given).__module__}.{type(given).__name__} yet; "
            "give the vector store beneath it, or a plain VectorStoreRetriever (vectorstore.as_retriever())"
        )
    with blame_target("opening the vector store"):
        return LangChainCorpus(store, asking, embedder, identity=identity)


def _reader(corpus: LangChainCorpus) -> CorpusReader | None:
    return corpus.access if isinstance(corpus.access, CorpusReader) else None
