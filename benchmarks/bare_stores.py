"""Stores filled with seeded records, each with its bare client's way to write and to delete, for ``adapters.py``."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stores import COLLECTION, Corpus, open_client
from darnel.api import open_target
from darnel.core.corpus import Record, Target
from darnel.core.plant import Plant
from darnel.core.planting.batches import chunks
from darnel.embedders.base import CachedEmbedder, Embedder

DIMENSION = 64
BATCH = 5_000
METADATA = {"source": "seeded"}


class TooSlowError(Exception):
    """The store was not filled in time."""


@dataclass(frozen=True)
class Bare:
    """A filled store: darnel's target, and the bare client's calls. ``write`` takes plants and their vectors."""

    target: Target
    embedder: Embedder
    write: Callable[[Sequence[Plant], Any], object]
    delete: Callable[[list[str]], object]


Fill = Callable[[Corpus, Path, float], AbstractContextManager[Bare]]
"""Takes the records, an empty folder, and when to give up (``time.monotonic()``)."""


def seeded(size: int, plants: int) -> Corpus:
    """``size`` records with random vectors; a text's second word says which row is its vector, plants' rows come last."""
    matrix = np.random.default_rng(0).standard_normal((size + plants, DIMENSION)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    texts = [f"record {row} with some more words to make it a text of a usual length" for row in range(size)]

    def vectors(asked: list[str]) -> Any:
        words = [text.split(maxsplit=2) for text in asked]
        return matrix[[int(w[1]) + (size if w[0] == "planted" else 0) if len(w) > 1 else 0 for w in words]]

    ids = [str(uuid.UUID(int=row + 1)) for row in range(size)]
    return Corpus(f"seeded {size:,}", ids, texts, [], CachedEmbedder("seeded", vectors))


def parts(records: Corpus, until: float) -> Iterator[tuple[list[str], list[str], Any]]:
    """Ids, texts and vectors, a batch at a time, as long as there is time."""
    for rows in chunks(range(len(records.ids)), BATCH):
        if time.monotonic() > until:
            raise TooSlowError
        texts = records.texts[rows[0] : rows[-1] + 1]
        yield records.ids[rows[0] : rows[-1] + 1], texts, records.embedder.documents(texts)


@contextmanager
def memory(records: Corpus, _folder: Path, _until: float) -> Iterator[Bare]:
    from darnel.adapters.memory import MemoryCorpus

    corpus = MemoryCorpus(Record(i, t, METADATA) for i, t in zip(records.ids, records.texts, strict=True))
    held = corpus.records

    def delete(ids: list[str]) -> None:
        for id_ in ids:
            del held[id_]

    yield Bare(
        open_target(corpus),
        records.embedder,
        lambda plants, _v: held.update((p.id, Record(p.id, p.text, dict(p.metadata))) for p in plants),
        delete,
    )


@contextmanager
def chroma_in(folder: Path) -> Iterator[tuple[Any, Any]]:
    """A Chroma client on a folder, and its new collection."""
    client = open_client(folder / "store")
    try:
        space = {"hnsw": {"space": "cosine"}}
        yield client, client.create_collection(COLLECTION, embedding_function=None, configuration=space)
    finally:
        client.close()


@contextmanager
def local_qdrant() -> Iterator[Any]:
    """A Qdrant client in this process, with an empty collection."""
    from qdrant_client import QdrantClient, models

    client = QdrantClient(":memory:")
    space = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
    client.create_collection(COLLECTION, vectors_config=space)
    yield client
    client.close()


@contextmanager
def chroma(records: Corpus, folder: Path, until: float) -> Iterator[Bare]:
    with chroma_in(folder) as (_client, collection):
        for ids, texts, vectors in parts(records, until):
            collection.add(ids=ids, documents=texts, embeddings=vectors, metadatas=[METADATA for _ in ids])

        def write(plants: Sequence[Plant], vectors: Any) -> None:
            collection.upsert(
                ids=[p.id for p in plants],
                documents=[p.text for p in plants],
                embeddings=vectors,
                metadatas=[dict(p.metadata) for p in plants],
            )

        target = open_target(collection, embedder=records.embedder)
        yield Bare(target, records.embedder, write, lambda ids: collection.delete(ids=ids))


@contextmanager
def qdrant(records: Corpus, _folder: Path, until: float) -> Iterator[Bare]:
    from qdrant_client import models

    with local_qdrant() as client:

        def put(ids: Sequence[str], texts: Sequence[str], vectors: Any, metadatas: Sequence[Any]) -> None:
            rows = zip(ids, texts, vectors.tolist(), metadatas, strict=True)
            client.upsert(
                COLLECTION,
                points=[
                    models.PointStruct(id=i, vector=v, payload={"page_content": t, "metadata": m})
                    for i, t, v, m in rows
                ],
            )

        for ids, texts, vectors in parts(records, until):
            put(ids, texts, vectors, [METADATA for _ in ids])
        yield Bare(
            open_target((client, COLLECTION), embedder=records.embedder),
            records.embedder,
            putting(put),
            lambda ids: client.delete(COLLECTION, points_selector=ids),
        )


def putting(put: Callable[..., object]) -> Callable[[Sequence[Plant], Any], object]:
    """A ``write`` out of a function of ids, texts, vectors and metadata."""
    return lambda plants, v: put(
        [p.id for p in plants], [p.text for p in plants], v, [dict(p.metadata) for p in plants]
    )


BARE_STORES: dict[str, Fill] = {"memory": memory, "chroma": chroma, "qdrant": qdrant}
