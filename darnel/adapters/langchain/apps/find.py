"""Find the vector store inside an application, and how the application asks it."""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from darnel.adapters.apps.choice import choose
from darnel.adapters.apps.walk import walk
from darnel.adapters.langchain.asking import Asking
from darnel.adapters.langchain.stores.find import find_access
from darnel.core.errors import describe_error

FRAMEWORKS = ("langchain", "langgraph")
"""What the packages of LangChain begin with."""
LOOKED_THROUGH = "its attributes, steps, tools and graph nodes, and the closures and globals that its functions name"


@dataclass(frozen=True, slots=True)
class FoundStore:
    """A vector store in an application. ``objects``: every object through which it is reached, itself first."""

    path: str
    store: Any
    objects: tuple[Any, ...]


def find_stores(app: Any, name: str = "app") -> list[FoundStore]:
    """Every vector store that an application holds, nearest first; one that is reached by several paths is one."""
    from langchain_core.vectorstores import VectorStore

    found: dict[object, FoundStore] = {}
    reached = walk(app, name, lambda item: isinstance(item, VectorStore), worth_a_look)
    for path, store in reached:
        key = _identity(store) if len(reached) > 1 else ()
        known = found.get(key)
        found[key] = FoundStore(path, store, (store,)) if known is None else _join(known, store)
    return list(found.values())


def choose_store(found: Sequence[FoundStore], wanted: str | None, name: str) -> FoundStore:
    """The store that ``wanted`` names by its path (or the end of it), or the only one.

    Raises:
        UsageError: there is none, or there are several and it was not said which.
    """
    none = (
        f"found no vector store in {name}: looked through {LOOKED_THROUGH}; name the store itself with --into TARGET, "
        "for instance --into chroma:./db#docs, or test it alone as langchain:MODULE:VECTORSTORE"
    )
    return choose(found, wanted, name, none)


def find_asking(app: Any, chosen: FoundStore) -> Asking:
    """How the nearest retriever over the store asks it: its kind of search, ``k`` and filter; the plain way if none does."""
    from langchain_core.retrievers import BaseRetriever

    def over(item: Any) -> bool:
        return isinstance(item, BaseRetriever) and any(getattr(item, "vectorstore", None) is o for o in chosen.objects)

    for _, retriever in walk(app, "app", over, worth_a_look):
        settings = getattr(retriever, "search_kwargs", None)
        if isinstance(settings, dict):
            kind = getattr(retriever, "search_type", "similarity")
            rest = dict(settings)
            k = rest.pop("k", None)
            return Asking(str(getattr(kind, "value", kind)), rest, k if k is not None else usual_k(chosen.store))
    return Asking()


def usual_k(store: Any) -> int | None:
    """What ``k`` a search of the store has where none is given."""
    try:
        given = inspect.signature(store.similarity_search).parameters["k"].default
    except (TypeError, ValueError, KeyError):
        return None
    return given if isinstance(given, int) else None


def worth_a_look(item: Any) -> bool:
    """Whether the walk goes into an object: the framework's, plain containers and functions, the application's own."""
    if isinstance(item, dict | list | tuple | set | frozenset | functools.partial | types.MappingProxyType):
        return True
    if isinstance(item, types.MethodType):
        return worth_a_look(item.__func__) or worth_a_look(item.__self__)
    module = item.__module__ if isinstance(item, types.FunctionType) else type(item).__module__
    return module is not None and (module.startswith(FRAMEWORKS) or is_own(module))


@functools.cache
def is_own(module: str) -> bool:
    """Whether a module is the application's: neither installed, nor Python's, nor darnel's."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == "darnel":
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module in sys.modules
    return not any(file.startswith(sysconfig.get_path(place)) for place in ("purelib", "platlib"))


def _identity(store: Any) -> object:
    """What two objects over one collection share; the object's own where it cannot be told."""
    try:
        access, _ = find_access(store, f"{id(store):x}")
        described = access.describe()
    except Exception as error:  # whatever is wrong with it is said once it is chosen
        return id(store), describe_error(error)
    return described.backend, described.identity


def _join(known: FoundStore, store: Any) -> FoundStore:
    return FoundStore(known.path, known.store, (*known.objects, store))
