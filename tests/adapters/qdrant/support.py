"""A small corpus in every shape, an embedder, and a witness that reads Qdrant without darnel."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import uuid
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from qdrant_client import QdrantClient, models

from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.shape import plant_metadata
from darnel.embedders.base import CachedEmbedder

DIMENSION = 24
HAS_UPDATE_MODE = "update_mode" in inspect.signature(QdrantClient.upsert).parameters
"""Clients from 1.17 on can write absent ids only."""
TOPICS = {
    "bread": "flour yeast oven crust loaf knead dough rise bake salt",
    "boats": "sail mast hull keel harbour anchor tide rope wind deck",
    "bees": "hive honey queen swarm comb pollen nectar drone wax smoke",
    "maps": "scale north compass contour legend border river grid chart survey",
}
QUESTIONS = [
    "How do flour and yeast go with the oven?",
    "Which rope holds the anchor?",
    "Where does the queen keep honey?",
]


@cache
def _word(word: str) -> Any:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(DIMENSION)


def embed(text: str) -> list[float]:
    vector = np.sum([_word(w) for w in re.findall(r"\w+", text.lower())] or [_word("")], axis=0)
    return [float(x) for x in (vector / np.linalg.norm(vector)).astype(np.float32)]


def hashed(texts: list[str]) -> list[list[float]]:
    """``--embedder tests.adapters.qdrant.support:hashed``."""
    return [embed(text) for text in texts]


def embedder() -> CachedEmbedder:
    return CachedEmbedder("hashed", hashed)


def counts(texts: list[str]) -> list[tuple[list[int], list[float]]]:
    """A sparse encoder: hashed words and their counts."""
    rows = []
    for text in texts:
        found: dict[int, float] = {}
        for word in re.findall(r"\w+", text.lower()):
            key = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            found[key] = found.get(key, 0.0) + 1.0
        rows.append((sorted(found), [found[k] for k in sorted(found)]))
    return rows


def texts(count: int = 40) -> list[tuple[str, str]]:
    """Topic and text of each record."""
    topics = list(TOPICS)
    out = []
    for number in range(count):
        topic = topics[number % len(topics)]
        words = TOPICS[topic].split()
        rolled = [words[(number * 3 + i * 7) % len(words)] for i in range(6)]
        out.append((topic, f"Note {number}: the {' '.join(rolled)} of {topic}."))
    return out


def metadata_of(number: int, topic: str) -> dict[str, Any]:
    return {"source": f"{topic}/{number}.md", "topic": topic, "page": number % 5, "score": 1.0, "tags": ["a", topic]}


def langchain(number: int, topic: str, text: str) -> dict[str, Any]:
    return {"page_content": text, "metadata": metadata_of(number, topic), "tenant": "acme", "level": 3}


def haystack(number: int, topic: str, text: str) -> dict[str, Any]:
    own = {"blob": None, "score": None, "sparse_embedding": None}
    return {"id": hashlib.sha256(text.encode()).hexdigest(), "content": text, "meta": metadata_of(number, topic), **own}


def flat(number: int, topic: str, text: str) -> dict[str, Any]:
    return {"body": text, "tenant": "acme", **metadata_of(number, topic)}


def nested(number: int, topic: str, text: str) -> dict[str, Any]:
    return {"body": text, "my info": metadata_of(number, topic), "tenant": "acme"}


def llamaindex(number: int, topic: str, text: str) -> dict[str, Any]:
    """As llama-index-core 0.14 writes a TextNode; the real package is asked in ``test_frameworks``."""
    metadata = {"topic": topic, "page": number % 5, "file_name": f"{number}.md"}
    node = {
        "id_": str(record_id(number)),
        "embedding": None,
        "metadata": metadata,
        "excluded_embed_metadata_keys": ["file_name"],
        "excluded_llm_metadata_keys": ["page"],
        "relationships": {"1": {"node_id": f"doc-{number}", "node_type": "4", "metadata": {}, "hash": "h"}},
        "metadata_template": "{key}: {value}",
        "metadata_separator": "\n",
        "text": text,
        "mimetype": "text/plain",
        "start_char_idx": 0,
        "end_char_idx": len(text),
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }
    references = dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), f"doc-{number}")
    return {**metadata, "_node_content": json.dumps(node), "_node_type": "TextNode", **references, "tenant": "acme"}


def llamaindex_text(number: int, topic: str, text: str) -> str:
    return f"topic: {topic}\npage: {number % 5}\n\n{text}"


Make = Callable[[int, str, str], dict[str, Any]]
SHAPES: dict[str, tuple[Make, dict[str, str]]] = {
    "langchain": (langchain, {}),
    "llamaindex": (llamaindex, {}),
    "haystack": (haystack, {}),
    "flat": (flat, {"text": "body"}),
    "nested": (nested, {"text": "body", "metadata": "my info"}),
}
"""Name → how a payload is made, and the options that say so where it cannot be detected."""


def record_id(number: int) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"record {number}")


def points(
    make: Make, count: int = 40, *, name: str | None = None, sparse: str | None = None
) -> list[models.PointStruct]:
    made = []
    for number, (topic, text) in enumerate(texts(count)):
        embedded = llamaindex_text(number, topic, text) if make is llamaindex else text
        vector: Any = embed(embedded) if name is None else {name: embed(embedded)}
        if sparse:
            ((indices, values),) = counts([embedded])
            vector = {
                **(vector if name is not None else {"": vector}),
                sparse: models.SparseVector(indices=indices, values=values),
            }
        made.append(models.PointStruct(id=str(record_id(number)), vector=vector, payload=make(number, topic, text)))
    return made


def fill(
    client: Any,
    make: Make = langchain,
    collection: str = "docs",
    *,
    distance: models.Distance = models.Distance.DOT,
    count: int = 40,
) -> None:
    """Create a collection of one unnamed vector and put the records in."""
    client.create_collection(collection, vectors_config=models.VectorParams(size=DIMENSION, distance=distance))
    client.upsert(collection, points(make, count))


def memory(make: Make = langchain, **given: Any) -> QdrantClient:
    client = QdrantClient(":memory:")
    fill(client, make, **given)
    return client


def witness(client: Any, collection: str = "docs") -> dict[str, str]:
    """Every point, by id, as text that differs if anything of it does."""
    found, cursor = {}, None
    while True:
        page, cursor = client.scroll(collection, limit=100, offset=cursor, with_payload=True, with_vectors=True)
        for point in page:
            found[str(point.id)] = json.dumps([point.payload, _plain(point.vector)], sort_keys=True)
        if cursor is None:
            return found


def _plain(vector: Any) -> Any:
    if isinstance(vector, dict):
        return {name: _plain(v) for name, v in vector.items()}
    return [vector.indices, vector.values] if hasattr(vector, "indices") else vector


def make_plants(corpus: Any, count: int = 3, *, text: str = "", campaign: str = "c-1", **more: Any) -> list[Plant]:
    """Plants for a corpus, shaped as a run would shape them."""
    where = corpus.describe()
    made = []
    for copy in range(count):
        marker = make_marker(0, "test", copy)
        made.append(
            make_plant(
                identity=where.identity,
                campaign=campaign,
                pattern="test",
                strength=1,
                query_id="q1",
                copy=copy,
                marker=marker,
                text=f"{text or 'Flour and yeast belong in the oven.'} {marker}",
                metadata={**plant_metadata(where.shape, marker), **more},
            )
        )
    return made


def stored(client: Any, ids: Sequence[str], collection: str = "docs") -> dict[str, dict[str, Any]]:
    return {str(p.id): p.payload for p in client.retrieve(collection, list(ids), with_payload=True)}
