"""The stores under test as an application would build and fill them, each with a witness that knows nothing of darnel."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from tests.adapters.langchain.words import DIMENSION, make_documents
from tests.support.postgres import new_database

NAME = "docs"
SIBLING = "elsewhere"
State = Mapping[str, Any]


@dataclass(frozen=True)
class House:
    """A store filled with the corpus.

    ``witness``: everything in it and beside it, as values that compare. ``drop_container`` takes the container away, as
    an owner might; None where there is none to take.
    """

    store: Any
    witness: Callable[[], State]
    drop_container: Callable[[], None] | None = None
    exact: bool = True


@dataclass(frozen=True, eq=False)
class Near:
    """Vectors of Qdrant's local mode, which normalises them in place at every search: the last bits are nobody's."""

    vectors: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Near) and bool(np.allclose(self.vectors, other.vectors, rtol=0, atol=1e-6))

    __hash__ = None  # type: ignore[assignment]


def need(module: str) -> Any:
    """Import a package of a store, or skip with the line that installs it."""
    package = {"faiss": "faiss-cpu"}.get(module, module.replace("_", "-"))
    return pytest.importorskip(module, reason=f"needs {package}; run: pip install {package}")


def _ids(documents: Sequence[Document]) -> list[str]:
    return [str(d.id) for d in documents]


def memory(embeddings: Embeddings, _place: Path) -> House:
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(embeddings)
    store.add_documents(make_documents())
    return House(store, lambda: {"rows": json.dumps(store.store)})


def chroma(embeddings: Embeddings, place: Path) -> House:
    chromadb, home = need("chromadb"), need("langchain_chroma")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(place / "chroma"), settings=settings)
    space = {"hnsw": {"space": "cosine"}}
    for name in (NAME, SIBLING):
        store = home.Chroma(name, embeddings, client=client, collection_configuration=space)
        store.add_documents(make_documents(), ids=_ids(make_documents()))
    store = home.Chroma(NAME, embeddings, client=client)

    def witness() -> State:
        found: dict[str, Any] = {}
        for each in client.list_collections():
            rows = each.get(include=["documents", "metadatas", "embeddings"])
            vectors = np.asarray(rows["embeddings"], dtype="<f4")
            found[each.name] = sorted(
                zip(rows["ids"], rows["documents"], map(_sorted, rows["metadatas"]), map(bytes, vectors), strict=True)
            )
            found[f"{each.name}: settings"] = json.dumps([each.metadata, each.configuration_json], default=str)
        return found

    return House(store, witness, lambda: client.delete_collection(NAME), exact=False)


def qdrant(embeddings: Embeddings, _place: Path) -> House:
    client_module, home = need("qdrant_client"), need("langchain_qdrant")
    models = client_module.models
    client = client_module.QdrantClient(":memory:")
    for name in (NAME, SIBLING):
        parameters = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
        client.create_collection(name, vectors_config=parameters)
        store = home.QdrantVectorStore(client, name, embeddings)
        store.add_documents(make_documents(), ids=_ids(make_documents()))
    store = home.QdrantVectorStore(client, NAME, embeddings)

    def witness() -> State:
        found: dict[str, Any] = {}
        for each in client.get_collections().collections:
            points, _ = client.scroll(each.name, limit=10_000, with_vectors=True)
            found[each.name] = sorted((p.id, _sorted(p.payload)) for p in points)
            found[f"{each.name}: vectors"] = Near(np.asarray([p.vector for p in sorted(points, key=lambda p: p.id)]))
            found[f"{each.name}: settings"] = client.get_collection(each.name).config.model_dump_json()
        return found

    return House(store, witness, lambda: client.delete_collection(NAME))


def faiss(embeddings: Embeddings, _place: Path) -> House:
    index_module = need("faiss")
    need("langchain_community")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package announces its end
        from langchain_community.vectorstores import FAISS
    store = FAISS.from_documents(make_documents(), embeddings, ids=_ids(make_documents()))

    def witness() -> State:
        return {
            "index": bytes(index_module.serialize_index(store.index)),
            "names": dict(store.index_to_docstore_id),
            "documents": {k: (d.page_content, _sorted(d.metadata)) for k, d in store.docstore._dict.items()},
        }

    return House(store, witness)


def pgvector(embeddings: Embeddings, place: Path) -> House:
    home, url = need("langchain_postgres"), new_database()
    for name in (SIBLING, NAME):
        store = home.PGVector(embeddings, connection=f"postgresql+psycopg{url}", collection_name=name)
        ids = _ids(make_documents()) if name == NAME else [f"{name}-{i}" for i in _ids(make_documents())]
        store.add_documents(make_documents(), ids=ids)
    return House(store, lambda: tables(url), store.delete_collection)


def pgtable(embeddings: Embeddings, place: Path, *, columns: Sequence[str] = (), json_column: bool = True) -> House:
    home, url = need("langchain_postgres"), new_database()
    engine = home.PGEngine.from_connection_string(f"postgresql+psycopg{url}")
    for name in (SIBLING, NAME):
        kept = [home.Column(c, "INTEGER" if c == "page" else "TEXT") for c in columns]
        engine.init_vectorstore_table(name, DIMENSION, metadata_columns=kept, store_metadata=json_column)
        store = home.PGVectorStore.create_sync(engine, embeddings, name, metadata_columns=list(columns))
        store.add_documents(make_documents(), ids=_ids(make_documents()))
    return House(store, lambda: tables(url), lambda: engine.drop_table(NAME))


def pgtable_columns(embeddings: Embeddings, place: Path) -> House:
    return pgtable(embeddings, place, columns=("tenant", "page", "lot"))


HOUSES: dict[str, Callable[[Embeddings, Path], House]] = {
    "memory": memory,
    "chroma": chroma,
    "qdrant": qdrant,
    "faiss": faiss,
    "pgvector": pgvector,
    "pgtable": pgtable,
    "pgtable_columns": pgtable_columns,
}


def tables(url: str) -> State:
    """Every row of every table, and every index and column, through a connection of its own."""
    import psycopg

    found: dict[str, Any] = {}
    with psycopg.connect(f"postgresql{url}") as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        for (name,) in names:
            rows = connection.execute(f'SELECT CAST(t.* AS text) FROM "{name}" t ORDER BY 1').fetchall()
            found[name] = [row for (row,) in rows]
        found["columns"] = connection.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY 1, 2"
        ).fetchall()
        found["indexes"] = connection.execute(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall()
    return found


def _sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
