"""The frameworks' stores, each with the framework's own calls to write and to delete, for ``adapters.py``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bare_stores import (
    DIMENSION,
    METADATA,
    Bare,
    Fill,
    chroma_in,
    local_qdrant,
    parts,
    putting,
)
from benchmarks.stores import COLLECTION, Corpus
from darnel.api import open_target
from darnel.core.plant import Plant


@contextmanager
def langchain_memory(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from langchain_core.vectorstores import InMemoryVectorStore

    yield _langchain(InMemoryVectorStore(_embeddings(records)), records, until)


@contextmanager
def langchain_chroma(records: Corpus, folder: Path, until: float) -> Iterator[Bare]:
    from langchain_chroma import Chroma

    with chroma_in(folder) as (client, _collection):
        store = Chroma(COLLECTION, _embeddings(records), client=client)
        yield _langchain(store, records, until)


@contextmanager
def langchain_qdrant(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from langchain_qdrant import QdrantVectorStore

    with local_qdrant() as client:
        yield _langchain(QdrantVectorStore(client, COLLECTION, _embeddings(records)), records, until)


@contextmanager
def langchain_faiss(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    import faiss
    from langchain_community.docstore.in_memory import InMemoryDocstore
    from langchain_community.vectorstores import FAISS

    store = FAISS(_embeddings(records), faiss.IndexFlatL2(DIMENSION), InMemoryDocstore(), {})
    yield _langchain(store, records, until)


@contextmanager
def langchain_pgvector(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    """A Postgres out of the pgserver wheel; its table has no index, as an application's may."""
    import pgserver
    from langchain_postgres import PGVector

    # not below a closed folder: run by root, the server runs as another user
    server = pgserver.get_server(tempfile.mkdtemp(prefix="darnel-bench-pg-"), cleanup_mode="delete")
    try:
        url = "postgresql+psycopg:" + server.get_uri().partition(":")[2]
        yield _langchain(PGVector(_embeddings(records), connection=url, collection_name=COLLECTION), records, until)
    finally:
        server.cleanup()


@contextmanager
def llamaindex_simple(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from llama_index.core import MockEmbedding, VectorStoreIndex

    index = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=DIMENSION))
    yield _llamaindex(index, records, until)


@contextmanager
def llamaindex_chroma(records: Corpus, folder: Path, until: float) -> Iterator[Bare]:
    from llama_index.vector_stores.chroma import ChromaVectorStore

    with chroma_in(folder) as (_client, collection):
        yield _llamaindex(_index(ChromaVectorStore(chroma_collection=collection)), records, until)


@contextmanager
def llamaindex_qdrant(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from llama_index.vector_stores.qdrant import QdrantVectorStore

    with local_qdrant() as client:
        client.delete_collection(COLLECTION)  # the store makes one with the vector's name it wants
        yield _llamaindex(_index(QdrantVectorStore(COLLECTION, client=client)), records, until)


def _embeddings(records: Corpus) -> Any:
    from langchain_core.embeddings import Embeddings

    class Seeded(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            found: list[list[float]] = records.embedder.documents(texts).tolist()
            return found

        def embed_query(self, text: str) -> list[float]:
            return self.embed_documents([text])[0]

    return Seeded()


def _langchain(store: Any, records: Corpus, until: float) -> Bare:
    from langchain_core.documents import Document

    def write(plants: Sequence[Plant], _vectors: Any) -> None:
        documents = [Document(id=p.id, page_content=p.text, metadata=dict(p.metadata)) for p in plants]
        store.add_documents(documents, ids=[p.id for p in plants])

    for ids, texts, _vectors in parts(records, until):
        store.add_texts(texts, [dict(METADATA) for _ in ids], ids=ids)
    return Bare(open_target(store), records.embedder, write, lambda ids: store.delete(ids=ids))


def _index(vector_store: Any) -> Any:
    from llama_index.core import MockEmbedding, VectorStoreIndex

    return VectorStoreIndex.from_vector_store(vector_store, embed_model=MockEmbedding(embed_dim=DIMENSION))


def _llamaindex(index: Any, records: Corpus, until: float) -> Bare:
    from llama_index.core.schema import TextNode

    hidden = [*METADATA, "darnel", "darnel_plant"]

    def put(ids: Sequence[str], texts: Sequence[str], vectors: Any, metadatas: Sequence[Any]) -> None:
        rows = zip(ids, texts, vectors.tolist(), metadatas, strict=True)
        index.insert_nodes(
            [
                TextNode(id_=i, text=t, embedding=v, metadata=m, excluded_embed_metadata_keys=hidden)
                for i, t, v, m in rows
            ]
        )

    for ids, texts, vectors in parts(records, until):
        put(ids, texts, vectors, [METADATA for _ in ids])

    def delete(ids: list[str]) -> None:
        index.delete_nodes(ids, delete_from_docstore=True)

    return Bare(open_target(index, embedder=records.embedder), records.embedder, putting(put), delete)


FRAMEWORKS: dict[str, Fill] = {
    "langchain-memory": langchain_memory,
    "langchain-chroma": langchain_chroma,
    "langchain-qdrant": langchain_qdrant,
    "langchain-faiss": langchain_faiss,
    "langchain-pgvector": langchain_pgvector,
    "llamaindex-simple": llamaindex_simple,
    "llamaindex-chroma": llamaindex_chroma,
    "llamaindex-qdrant": llamaindex_qdrant,
}
