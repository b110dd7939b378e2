"""The bundled corpus: the handbook of Pellorin Airworks, an invented company, with questions and judgments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from darnel.adapters.registry import require
from darnel.core.corpus import Record, Target
from darnel.core.queries import Query

FOLDER = Path(__file__).parent
COLLECTION = "handbook"


def demo_records() -> list[Record]:
    """The passages; metadata: title, source, trust (trusted, partner or community), tenant, topic."""
    from darnel.adapters.memory.corpus import load_corpus

    return load_corpus(FOLDER / "corpus.jsonl")


def demo_queries() -> list[Query]:
    """The questions, with their judged passages."""
    from darnel.api import read_queries

    # where the package is installed is nobody's business, and not the same on two machines
    return [replace(query, where="") for query in read_queries(FOLDER / "queries.jsonl")]


def open_demo(folder: Path) -> Target:
    """A Chroma store in ``folder`` holding the handbook, opened as a target.

    Raises:
        DarnelError: chromadb or wordllama is not installed; says how to install it.
    """
    from darnel.embedders.resolve import resolve_embedder

    require("chroma")
    from darnel.adapters.chroma.connect import chroma_target

    embedder, records = resolve_embedder("wordllama"), demo_records()
    client, collection = build_store(folder, records, embedder.documents([r.text or "" for r in records]))
    return chroma_target(collection, embedder, close=client.close)


def build_store(folder: Path, records: list[Record], vectors: Any) -> tuple[Any, Any]:
    """Write records into a new Chroma store, as an application would have; returns its client and collection."""
    import chromadb
    from chromadb.config import Settings

    folder.mkdir(parents=True)
    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        COLLECTION, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(
        ids=[r.id for r in records],
        documents=[r.text or "" for r in records],
        metadatas=[dict(r.metadata or {}) for r in records],
        embeddings=vectors,
    )
    return client, collection
