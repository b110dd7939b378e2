"""Targets from LlamaIndex objects: a ``VectorStoreIndex``, a retriever of one, a vector store that keeps text, or a whole
application with one of these inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.checks import vector_checks
from darnel.adapters.chroma.connect import DATABASE_FILE, LOCK_WAIT, folder_checks
from darnel.adapters.folder import FolderLock
from darnel.adapters.llamaindex.apps.find import FoundStore, choose_store, find_stores, only_embed_model
from darnel.adapters.llamaindex.apps.own import is_app
from darnel.adapters.llamaindex.apps.target import app_target
from darnel.adapters.llamaindex.asking import IndexAsker, StoreAsker, is_snapshot
from darnel.adapters.llamaindex.bookkeeping import Bookkeeping
from darnel.adapters.llamaindex.corpus import EmbeddedTexts, LlamaIndexCorpus
from darnel.adapters.llamaindex.embedding import index_embedder
from darnel.adapters.llamaindex.filters import unmet
from darnel.adapters.llamaindex.load import load_object
from darnel.adapters.llamaindex.stores import NativeStore, native_store
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Check, Target
from darnel.core.errors import TargetError, UsageError
from darnel.embedders.base import Embedder


@dataclass(frozen=True, slots=True)
class Parts:
    """What was found in the object given."""

    vector_store: Any
    index: Any = None
    retriever: Any = None


def open_llamaindex(
    spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open ``llamaindex:module:attr``, where attr is an index, a retriever, a vector store or a whole application, or
    makes one when called; ``?store=PATH`` chooses among an application's stores.

    Raises:
        UsageError: the spec or the object is not of that kind.
        TargetError: the application raised, or its store cannot be planted into.
    """
    if spec.container:
        raise UsageError(f"llamaindex:{spec.where} takes no '#'; the index says where its store is")
    spec.check_parameters({"store"})
    if app.store is None and (path := spec.parameters.get("store")):
        app = replace(app, store=path)
    target = llamaindex_target(load_object(spec.where), embedder, spec=f"llamaindex:{spec.where}", app=app)
    if app.into is not None:
        return target  # it was handed over opened
    assert isinstance(target.injector, LlamaIndexCorpus)
    folder = target.injector.store.folder
    if not (exclusive and folder):
        return target
    with ExitStack() as undo:
        lock = FolderLock(Path(folder), wait=LOCK_WAIT)
        lock.acquire()
        undo.callback(lock.release)
        return replace(target, close=undo.pop_all().close)


def llamaindex_target(
    given: Any, embedder: Embedder | None = None, *, spec: str = "", app: AppOptions = DEFAULT_APP
) -> Target:
    """A target from an object of the application's, used through the clients it holds: an index, a retriever of one or a
    vector store is searched itself; an engine, an agent, any other retriever or a function is asked as it is.

    Raises:
        UsageError: it is none that darnel can plant through, or which of its stores is not said.
        TargetError: its store cannot be planted into, or its retriever cannot see a new document.
    """
    if is_plain(given) or not is_app(given):
        return _store_target(find_parts(given), embedder, spec)
    name = _name(spec)
    if isinstance(app.into, Target):
        return app_target(app.into, given, None, name=name, options=app)
    found = choose_store(given, name, app.store)
    if embedder is None and found.index is None and (model := only_embed_model(given, name)) is not None:
        embedder = index_embedder(model, model)
    if spec and len(find_stores(given, name)) > 1:
        spec = f"{spec}?{urlencode({'store': found.path})}"
    return app_target(_store_target(_parts_of(found), embedder, spec), given, found, name=name, options=app)


def stores_in(spec: TargetSpec) -> list[str]:
    """Paths of the stores in the application that a spec names, as ``AppOptions.store`` takes them.

    Raises:
        UsageError: there is no such object.
        TargetError: the application raised.
    """
    return find_stores(load_object(spec.where), _name(spec.where))


def _name(where: str) -> str:
    return where.rpartition(":")[2] or "app"


def is_plain(given: Any) -> bool:
    """Whether an object is only a store, an index or a retriever of one, which is searched itself."""
    from llama_index.core.indices.vector_store.base import VectorStoreIndex
    from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
    from llama_index.core.vector_stores.types import BasePydanticVectorStore

    return isinstance(given, VectorStoreIndex | VectorIndexRetriever | BasePydanticVectorStore)


def _parts_of(found: FoundStore) -> Parts:
    if found.retrievers:
        return find_parts(found.retrievers[0][1])
    return find_parts(found.vector_store if found.index is None else found.index)


def _store_target(parts: Parts, embedder: Embedder | None, spec: str) -> Target:
    index, retriever = parts.index, parts.retriever
    keeps_nodes = index is not None and (not parts.vector_store.stores_text or index._store_nodes_override)
    books = Bookkeeping(index) if keeps_nodes else None
    store = native_store(parts.vector_store, index, books)
    asker: IndexAsker | StoreAsker = (
        StoreAsker(parts.vector_store, store) if index is None else IndexAsker(index, retriever, store)
    )
    if retriever is not None:
        _refuse_closed(retriever, index, store)
    if embedder is None and index is not None:
        embedder = index_embedder(index._embed_model, getattr(retriever, "_embed_model", index._embed_model))
    corpus = LlamaIndexCorpus(
        parts.vector_store,
        store,
        asker,
        embedder,
        index=index if keeps_nodes else None,
        books=books,
        filters=getattr(retriever, "_filters", None),
    )
    return Target(
        injector=corpus,
        retriever=corpus,
        reader=corpus,
        spec=spec,
        store_search=asker.by_distance,
        checks=lambda: _checks(corpus, parts),
        k=getattr(retriever, "similarity_top_k", None),
        host=store.host,
    )


def find_parts(given: Any) -> Parts:
    """The index, retriever and vector store in an object.

    Raises:
        UsageError: it is none of these.
    """
    from llama_index.core.indices.multi_modal.base import MultiModalVectorStoreIndex
    from llama_index.core.indices.vector_store.base import VectorStoreIndex
    from llama_index.core.indices.vector_store.retrievers import VectorIndexRetriever
    from llama_index.core.vector_stores.types import BasePydanticVectorStore

    if isinstance(given, VectorIndexRetriever):
        return Parts(given._index.vector_store, given._index, given)
    if isinstance(given, VectorStoreIndex) and not isinstance(given, MultiModalVectorStoreIndex):
        return Parts(given.vector_store, given)
    if isinstance(given, BasePydanticVectorStore):
        return Parts(given)
    raise UsageError(
        f"cannot plant through a {type(given).__name__}; give its VectorStoreIndex, a retriever of that index "
        "(index.as_retriever()), its vector store, or an application that reads it: an engine, an agent or a function"
    )


def _refuse_closed(retriever: Any, index: Any, store: NativeStore) -> None:
    """Refuse a retriever that is limited to documents or nodes given by hand, which no new one can join."""
    if retriever._doc_ids and store.honours_doc_ids:
        raise TargetError(
            f"the retriever is limited to {len(retriever._doc_ids)} given documents; give one without doc_ids"
        )
    if retriever._node_ids and store.honours_node_ids and not index.index_struct.nodes_dict:
        raise TargetError(
            f"the retriever is limited to {len(retriever._node_ids)} given nodes; give one without node_ids"
        )


def _checks(corpus: LlamaIndexCorpus, parts: Parts) -> Iterator[Check]:
    yield from _folder_checks(corpus.store.folder)
    yield from vector_checks(EmbeddedTexts(corpus), corpus, corpus.embedder)
    if parts.retriever is not None:
        yield from _retriever_checks(corpus, parts.retriever, parts.index)


def _retriever_checks(corpus: LlamaIndexCorpus, retriever: Any, index: Any) -> Iterator[Check]:
    top_k = retriever.similarity_top_k
    mode = getattr(retriever._vector_store_query_mode, "value", retriever._vector_store_query_mode)
    yield Check("retriever", True, f"reads {top_k} sources, by {mode} search")
    if corpus.filters is not None:
        why = unmet(corpus.filters, corpus.describe().shape.template)
        mend = "Say what a plant must carry: --metadata KEY=VALUE." if why else ""
        yield Check("retriever's filter", None if why else True, why or "a plant passes it", mend)
    if is_snapshot(retriever) and set(retriever._node_ids) != set(index.index_struct.nodes_dict.values()):
        detail = f"it was made over {len(retriever._node_ids)} nodes and the index holds others now, which it hides"
        yield Check("stale retriever", None, detail, "darnel asks through a fresh one; make the application's anew.")


def _folder_checks(folder: str) -> Iterator[Check]:
    if folder and (Path(folder) / DATABASE_FILE).is_file():
        yield from folder_checks(Path(folder))
