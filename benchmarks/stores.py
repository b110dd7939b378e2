"""Corpora for the benchmarks, and Chroma stores that hold them. Building a store is never timed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from darnel.adapters.memory.corpus import load_corpus
from darnel.core.queries import Query
from darnel.embedders.base import CachedEmbedder, Embedder

COLLECTION = "bench"
DIMENSION = 256
TOPICS = 400


@dataclass(frozen=True)
class Corpus:
    """Records (id, text), the questions to ask, and the embedder that makes the vectors of both."""

    name: str
    ids: list[str]
    texts: list[str]
    queries: list[Query]
    embedder: Embedder


def data_folder() -> Path | None:
    """``$DARNEL_DATA``, else ``shared/data`` beside the checkout; None where there is neither."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    found = Path(os.environ.get("DARNEL_DATA") or beside)
    return found if found.is_dir() else None


def beir(name: str, *, query_limit: int | None = None) -> Corpus:
    """One of the BEIR-shaped sets, with the bundled embedder; a record's text is its title and text joined."""
    from darnel.api import read_queries
    from darnel.embedders.resolve import resolve_embedder

    folder = data_folder()
    if folder is None:
        raise SystemExit("the data is not here: put it in ../shared/data, or name its folder in $DARNEL_DATA")
    records = load_corpus(folder / name / "corpus.jsonl")
    queries = read_queries(folder / name / "queries.jsonl")[:query_limit]
    texts = [f"{(r.metadata or {}).get('title', '')} {r.text or ''}".strip() for r in records]
    # a record without any text (Cranfield has one) cannot be embedded; applications skip such records too
    kept = [(r.id, text) for r, text in zip(records, texts, strict=True) if text]
    return Corpus(name, [i for i, _ in kept], [t for _, t in kept], queries, resolve_embedder("wordllama"))


def synthetic(size: int, query_count: int, seed: int = 0) -> Corpus:
    """``size`` records of 80 words on 400 topics; a text's vector is its topics' centre plus noise seeded by the text."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((TOPICS, DIMENSION)).astype(np.float32)
    vocabulary = [f"w{number:04d}" for number in range(5_000)]
    words = rng.zipf(1.3, size=(size, 80)) % len(vocabulary)
    topics = rng.integers(TOPICS, size=size)
    texts = [
        f"topic{topics[row]:03d} record {row} " + " ".join(vocabulary[w] for w in words[row]) for row in range(size)
    ]
    queries = [Query(f"q{n}", f"question {n} about topic{rng.integers(TOPICS):03d}") for n in range(query_count)]

    def vector(text: str) -> Any:
        noise = np.random.default_rng(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()))
        made = noise.standard_normal(DIMENSION).astype(np.float32)
        for word in text.split():
            if word.startswith("topic") and word[5:8].isdecimal():
                made += centres[int(word[5:8])]
                break
        return made / np.linalg.norm(made)

    embedder = CachedEmbedder("seeded", lambda batch: np.stack([vector(t) for t in batch]))
    return Corpus(f"synthetic {size:,}", [f"r{n}" for n in range(size)], texts, queries, embedder)


def build(corpus: Corpus, folder: Path) -> None:
    """Write the corpus into a new Chroma store, as an application would have."""
    client = open_client(folder)
    collection = client.create_collection(
        COLLECTION, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    for start in range(0, len(corpus.ids), 5_000):
        part = slice(start, start + 5_000)
        texts = corpus.texts[part]
        collection.add(
            ids=corpus.ids[part],
            documents=texts,
            embeddings=corpus.embedder.documents(texts),
            metadatas=[{"source": corpus.name} for _ in texts],
        )
    client.close()


@contextmanager
def opened(folder: Path) -> Iterator[Any]:
    """The collection of a store, its index loaded."""
    client = open_client(folder)
    try:
        collection = client.get_collection(COLLECTION, embedding_function=None)
        collection.query(query_embeddings=np.ones((1, DIMENSION), dtype=np.float32), n_results=1)
        yield collection
    finally:
        client.close()


@contextmanager
def copied(template: Path, folder: Path) -> Iterator[Any]:
    """The collection of a fresh copy of a store, settled on disk and loaded; the copy is removed afterwards."""
    shutil.copytree(template, folder)
    os.sync()  # or the copy would still be on its way to disk while the first writes are timed
    try:
        with opened(folder) as collection:
            yield collection
    finally:
        shutil.rmtree(folder)


class RecordingEmbedder:
    """Passes on to another embedder and keeps every text's vector, documents' and queries' apart."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimension, self._inner = inner.name, inner.dimension, inner
        self.seen: dict[str, dict[str, Any]] = {"documents": {}, "queries": {}}

    def documents(self, texts: Sequence[str]) -> Any:
        return self._note("documents", texts, self._inner.documents)

    def queries(self, texts: Sequence[str]) -> Any:
        return self._note("queries", texts, self._inner.queries)

    def _note(self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Any]) -> Any:
        found = embed(texts)
        self.seen[kind].update(zip(texts, found, strict=True))
        return found

    def save(self, folder: Path) -> None:
        folder.mkdir()
        for kind, known in self.seen.items():
            (folder / f"{kind}.json").write_text(json.dumps(list(known)))
            np.save(folder / f"{kind}.npy", np.stack(list(known.values())))


def table_embedder(folder: Path) -> CachedEmbedder:
    """What a ``RecordingEmbedder`` saved: a look-up that fails on any other text, so no embedding can be timed."""
    tables = {}
    for kind in ("documents", "queries"):
        texts, vectors = json.loads((folder / f"{kind}.json").read_text()), np.load(folder / f"{kind}.npy")
        tables[kind] = dict(zip(texts, vectors, strict=True))
    known = {**tables["documents"], **tables["queries"]}  # the embedders used here make no difference between the two
    known["dimension"] = next(iter(known.values()))  # the word that asks for the dimension
    embedder = CachedEmbedder("table", lambda texts: np.stack([known[t] for t in texts]))
    embedder.documents(list(known))
    return embedder


def open_client(folder: Path) -> Any:
    """A client on a folder; Chroma gives all clients of a process on one folder the same store."""
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
