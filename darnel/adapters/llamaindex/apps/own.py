"""Recognise an application, and what of it is worth a look."""

from __future__ import annotations

import functools
import inspect
import sys
import sysconfig
import types
from pathlib import Path
from typing import Any

FRAMEWORK = ("llama_index", "workflows")
CONTAINERS = (dict, list, tuple, set, frozenset)


def is_app(given: Any) -> bool:
    """Whether an object is asked as a whole: an engine, a retriever, an agent, or a function of one argument."""
    from llama_index.core.base.base_query_engine import BaseQueryEngine
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.chat_engine.types import BaseChatEngine
    from llama_index.core.workflow import Workflow

    return isinstance(given, BaseQueryEngine | BaseRetriever | BaseChatEngine | Workflow) or takes_one(given)


def takes_one(given: Any) -> bool:
    """Whether an object can be called with one argument, as a function can."""
    if not callable(given) or isinstance(given, type):
        return False
    try:
        inspect.signature(given).bind("")
    except (TypeError, ValueError):
        return False
    return True


def worth_a_look(item: Any) -> bool:
    """Whether an object is LlamaIndex's or the application's own, so that a store may be found in it."""
    if isinstance(item, _contents()):
        return False
    if isinstance(item, (CONTAINERS, functools.partial | types.MethodType)):
        return True
    module = item.__module__ if isinstance(item, types.FunctionType) else type(item).__module__
    return _is_framework(module or "") or _is_own(module or "")


@functools.cache
def _contents() -> tuple[type, ...]:
    """What holds the corpus's documents, of which there may be many, and no store."""
    from llama_index.core.data_structs.data_structs import IndexStruct
    from llama_index.core.schema import Document
    from llama_index.core.storage.docstore.types import BaseDocumentStore
    from llama_index.core.storage.index_store.types import BaseIndexStore

    return (IndexStruct, Document, BaseDocumentStore, BaseIndexStore)


def _is_framework(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in FRAMEWORK)


def _is_own(module: str) -> bool:
    """Whether a module is the application's: neither installed nor of the standard library."""
    if module == "__main__":
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if not file:
        return False
    path = Path(file).resolve()
    return (
        "site-packages" not in path.parts and "dist-packages" not in path.parts and not path.is_relative_to(_stdlib())
    )


@functools.cache
def _stdlib() -> Path:
    return Path(sysconfig.get_paths()["stdlib"]).resolve()
