"""Stores with the records of two tenants, each searched as its application would search it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import chroma, corpora
from tests.support.embedder import embed, hashed

TENANTS = ("acme", "globex")
KEY = "tenant"
COUNT = 40
Search = Callable[[str, int, str | None], list[Any]]
"""Text, number of documents, and the tenant to filter for, if any, in the store's own search."""


@dataclass(frozen=True)
class House:
    target: Any
    search: Search
    owner: Callable[[Any], str]
    """Whose a document that the search returned is."""
    records: Callable[[], dict[str, str]]
    """Every record by id, as text that differs where anything of it does."""


def library() -> list[Any]:
    """40 records, half of them each tenant's."""
    records = corpora.make_records(COUNT)
    for number, record in enumerate(records):
        assert isinstance(record.metadata, dict)
        record.metadata[KEY] = TENANTS[number % 2]
    return records


@contextmanager
def in_chroma(folder: Path) -> Iterator[House]:
    client = chroma.persistent(folder)
    collection = chroma.fill(client, library())

    def search(text: str, k: int, tenant: str | None) -> list[Any]:
        only = None if tenant is None else {KEY: tenant}
        found = collection.query(query_embeddings=[embed(text)], n_results=k, where=only)
        rows = zip(found["ids"][0], found["documents"][0], found["metadatas"][0], strict=True)
        return [{"id": i, "text": text, "metadata": metadata} for i, text, metadata in rows]

    yield House(collection, search, lambda d: d["metadata"][KEY], lambda: chroma.everything(collection))
    client.close()


@contextmanager
def in_qdrant(_folder: Path) -> Iterator[House]:
    qdrant = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from tests.adapters.qdrant.support import witness

    client, models = qdrant.QdrantClient(":memory:"), qdrant.models
    client.create_collection("docs", models.VectorParams(size=32, distance=models.Distance.DOT))
    client.upsert(
        "docs",
        [
            models.PointStruct(
                id=str(uuid.uuid5(uuid.NAMESPACE_URL, r.id)),
                vector=r.vector.tolist(),
                payload={"page_content": r.text, "metadata": {**r.metadata}},
            )
            for r in library()
        ],
    )

    def search(text: str, k: int, tenant: str | None) -> list[Any]:
        only = None
        if tenant is not None:
            only = models.Filter(
                must=[models.FieldCondition(key=f"metadata.{KEY}", match=models.MatchValue(value=tenant))]
            )
        found = client.query_points("docs", query=embed(text).tolist(), limit=k, query_filter=only).points
        return [{"id": str(p.id), "text": p.payload["page_content"], "metadata": p.payload["metadata"]} for p in found]

    yield House((client, "docs"), search, lambda d: d["metadata"][KEY], lambda: witness(client))
    client.close()


@contextmanager
def in_langchain(_folder: Path) -> Iterator[House]:
    pytest.importorskip("langchain_core", reason="LangChain is not installed")
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Words(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return hashed(texts)

        def embed_query(self, text: str) -> list[float]:
            return hashed([text])[0]

    store = InMemoryVectorStore(Words())
    store.add_documents([Document(id=r.id, page_content=r.text, metadata=dict(r.metadata)) for r in library()])

    def search(text: str, k: int, tenant: str | None) -> list[Any]:
        only = None if tenant is None else (lambda d: d.metadata[KEY] == tenant)
        return store.similarity_search(text, k=k, filter=only)

    yield House(store, search, lambda d: d.metadata[KEY], lambda: {i: repr(r) for i, r in store.store.items()})


@contextmanager
def in_llamaindex(_folder: Path) -> Iterator[House]:
    pytest.importorskip("llama_index.vector_stores.chroma", reason="llama-index-vector-stores-chroma is missing")
    from llama_index.core import VectorStoreIndex
    from llama_index.core.schema import TextNode
    from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters
    from llama_index.vector_stores.chroma import ChromaVectorStore

    from tests.adapters.llamaindex.conftest import embed_model

    client = chroma.ephemeral_client()
    collection = client.create_collection(f"t{uuid.uuid4().hex}", embedding_function=None, configuration=chroma.SPACE)
    index = VectorStoreIndex.from_vector_store(ChromaVectorStore(collection), embed_model=embed_model())
    index.insert_nodes([TextNode(id_=str(uuid.uuid4()), text=r.text, metadata=dict(r.metadata)) for r in library()])

    def search(text: str, k: int, tenant: str | None) -> list[Any]:
        only = None if tenant is None else MetadataFilters(filters=[ExactMatchFilter(key=KEY, value=tenant)])
        return list(index.as_retriever(similarity_top_k=k, filters=only).retrieve(text))

    yield House(index, search, lambda d: d.node.metadata[KEY], lambda: chroma.everything(collection))
    client.delete_collection(collection.name)


HOUSES = {"chroma": in_chroma, "qdrant": in_qdrant, "langchain": in_langchain, "llamaindex": in_llamaindex}
EMBEDDER = {"chroma": hashed, "qdrant": hashed}
"""The frameworks bring their own."""
