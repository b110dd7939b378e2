"""The chunks in Chroma and in Qdrant: searched with the tenant's filter in every query, and opened for darnel to plant into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

from darnel.api import open_target
from darnel.core.corpus import Record, Source, Target
from darnel.embedders.base import Embedder
from docs_assistant.tenancy import TenantContext

NAME = "documentation"
BATCH = 1_000
Search = Callable[[str, int, TenantContext], list[Source]]
"""Question, number of chunks, and whose question it is; best first, by cosine."""


@dataclass(frozen=True, slots=True)
class Store:
    """A store that is filled. ``target``: the same, as darnel plants into it."""

    name: str
    search: Search
    target: Target


@contextmanager
def in_store(name: str, chunks: Sequence[Record], model: Embedder) -> Iterator[Store]:
    """The chunks in a real store that is thrown away afterwards."""
    with STORES[name](chunks, model) as store:
        yield store


@contextmanager
def _chroma(chunks: Sequence[Record], model: Embedder) -> Iterator[Store]:
    import chromadb

    with TemporaryDirectory(prefix="docs-assistant-", ignore_cleanup_errors=True) as folder:
        client = chromadb.PersistentClient(folder, settings=chromadb.Settings(anonymized_telemetry=False))
        yield from _filled_chroma(client, chunks, model)


def _filled_chroma(client: Any, chunks: Sequence[Record], model: Embedder) -> Iterator[Store]:
    collection = client.create_collection(NAME, embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
    for start in range(0, len(chunks), BATCH):
        some = chunks[start : start + BATCH]
        collection.add(
            ids=[c.id for c in some],
            documents=[c.text or "" for c in some],
            metadatas=[dict(c.metadata or {}) for c in some],
            embeddings=model.documents([c.text or "" for c in some]),
        )

    def search(question: str, k: int, context: TenantContext) -> list[Source]:
        own: Any = {"$and": [{"tenant": context.tenant}, {"section": {"$in": list(context.sections)}}]}
        found: Any = collection.query(query_embeddings=model.queries([question]), n_results=k, where=own)
        rows = zip(*(found[part][0] for part in ("ids", "documents", "metadatas", "distances")), strict=True)
        return [Source(id_, text, metadata, 1 - distance) for id_, text, metadata, distance in rows]

    with closing(open_target(collection, embedder=model)) as target:
        yield Store("chroma", search, target)


@contextmanager
def _qdrant(chunks: Sequence[Record], model: Embedder) -> Iterator[Store]:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")  # a local folder of Qdrant's takes a commit for each point
    vectors = model.documents([c.text or "" for c in chunks])
    client.create_collection(NAME, models.VectorParams(size=vectors.shape[1], distance=models.Distance.COSINE))
    points = [
        models.PointStruct(id=number, vector=vector.tolist(), payload=_payload(chunk))
        for number, (chunk, vector) in enumerate(zip(chunks, vectors, strict=True))
    ]
    for start in range(0, len(points), BATCH):
        client.upsert(NAME, points[start : start + BATCH])

    def search(question: str, k: int, context: TenantContext) -> list[Source]:
        own = models.Filter(
            must=[
                models.FieldCondition(key="metadata.tenant", match=models.MatchValue(value=context.tenant)),
                models.FieldCondition(key="metadata.section", match=models.MatchAny(any=list(context.sections))),
            ]
        )
        vector = model.queries([question])[0].tolist()
        found = client.query_points(NAME, query=vector, limit=k, query_filter=own).points
        return [
            Source(str(p.id), (p.payload or {})["page_content"], (p.payload or {})["metadata"], p.score) for p in found
        ]

    with closing(client), closing(open_target((client, NAME), embedder=model)) as target:
        yield Store("qdrant", search, target)


def _payload(chunk: Record) -> dict[str, object]:
    """As LangChain lays it out; Qdrant takes no words as ids, so the chunk's own goes into the metadata."""
    return {"page_content": chunk.text, "metadata": {"chunk": chunk.id, **(chunk.metadata or {})}}


STORES = {"chroma": _chroma, "qdrant": _qdrant}
"""Stores by name; each needs the package of its client."""
