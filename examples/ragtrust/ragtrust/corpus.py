"""The papers of an invented tide mill, the questions, and the same papers in the stores that darnel plants into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
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


def questions_in_other_words() -> list[Query]:
    """The 6 attacked questions as somebody asks them who does not know the papers' words."""
    return read_queries(DATA / "other_words.jsonl", [DATA / "qrels" / "test.tsv"])


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
    opened = _chroma if name == "chroma" else _qdrant
    with TemporaryDirectory(prefix="ragtrust-", ignore_cleanup_errors=True) as folder, opened(folder, model) as target:
        yield target


@contextmanager
def _chroma(folder: str, model: Embedder) -> Iterator[Target]:
    import chromadb

    papers = records()
    client = chromadb.PersistentClient(folder, settings=chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection(NAME, embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
    collection.add(
        ids=[r.id for r in papers],
        documents=[r.text or "" for r in papers],
        metadatas=[dict(r.metadata or {}) for r in papers],
        embeddings=model.documents([r.text or "" for r in papers]),
    )
    with closing(open_target(collection, embedder=model)) as target:
        yield target


@contextmanager
def _qdrant(folder: str, model: Embedder) -> Iterator[Target]:
    from qdrant_client import QdrantClient, models

    papers = records()
    vectors = model.documents([r.text or "" for r in papers])
    client = QdrantClient(path=folder)
    client.create_collection(NAME, models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=n, vector=vector.tolist(), payload=_payload(r))
        for n, (r, vector) in enumerate(zip(papers, vectors, strict=True))
    ]
    client.upsert(NAME, points)
    with closing(client), closing(open_target((client, NAME), embedder=model)) as target:
        yield target


def _payload(record: Record) -> dict[str, object]:
    """As LangChain lays it out; Qdrant takes no words as ids, so the paper's own goes into the metadata."""
    return {"page_content": record.text, "metadata": {"paper": record.id, **(record.metadata or {})}}
