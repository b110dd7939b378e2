"""The papers of an invented tide mill, the questions, and the same papers in the stores that darnel plants into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from darnel.adapters.memory.corpus import MemoryCorpus, load_corpus
from darnel.adapters.memory.open import memory_target
from darnel.api import open_target, read_queries
from darnel.core.corpus import Record, Target
from darnel.core.queries import Query
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder

DATA = Path(__file__).parent / "data"
NAME = "mill"
STORES = {"chroma": "chromadb", "qdrant": "qdrant_client"}
"""Stores that the papers can be put into, and the package that each needs."""


def records() -> list[Record]:
    """The 12 papers: 9 of official sources, 1 of a partner, 2 of a forum."""
    return load_corpus(DATA / "corpus.jsonl")


def questions() -> list[Query]:
    """12 questions, each with the trusted paper that answers it; those that are attacked come first."""
    return read_queries(DATA / "queries.jsonl")


def low_trust_questions() -> list[Query]:
    """3 questions that only a paper of low trust answers."""
    return read_queries(DATA / "low_trust.jsonl", [DATA / "qrels" / "test.tsv"])


def attacked(query: Query) -> bool:
    """Whether a document is planted for this question."""
    return query.id.startswith("a")


def embedder() -> Embedder | None:
    """The small embedder that needs no network, if it is installed."""
    return resolve_embedder("wordllama") if find_spec("wordllama") else None


def in_memory() -> Target:
    """The papers in this process."""
    return memory_target(MemoryCorpus(records(), name=NAME))


@contextmanager
def in_store(name: str, model: Embedder) -> Iterator[Target]:
    """The papers in a throwaway folder of a real store, searched by the store itself."""
    with TemporaryDirectory(prefix="ragtrust-", ignore_cleanup_errors=True) as folder:
        target = _chroma(folder, model) if name == "chroma" else _qdrant(folder, model)
        try:
            yield target
        finally:
            target.close()


def _chroma(folder: str, model: Embedder) -> Target:
    import chromadb

    papers = records()
    client = chromadb.PersistentClient(folder, settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        NAME, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(
        ids=[r.id for r in papers],
        documents=[r.text or "" for r in papers],
        metadatas=[dict(r.metadata or {}) for r in papers],
        embeddings=model.documents([r.text or "" for r in papers]),
    )
    return open_target(collection, embedder=model)


def _qdrant(folder: str, model: Embedder) -> Target:
    from qdrant_client import QdrantClient, models

    papers = records()
    vectors = model.documents([r.text or "" for r in papers])
    client = QdrantClient(path=folder)
    client.create_collection(NAME, models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=n, vector=vector.tolist(), payload={"text": r.text, "paper": r.id, **(r.metadata or {})})
        for n, (r, vector) in enumerate(zip(papers, vectors, strict=True))
    ]
    client.upsert(NAME, points)
    return open_target((client, NAME), embedder=model)
