"""All Qdrant test modules: a collection and a sibling, in LangChain's layout and in LlamaIndex's, by qdrant-client alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from qdrant_client import QdrantClient, models

from darnel.adapters.qdrant import qdrant_target
from darnel.core.corpus import Record, Source, Target
from darnel.embedders.base import Embedder
from darnel.testing import App, ConformanceFixtures, Declared, word_embedder
from darnel.testing.embedding import DIMENSION

# dot product: of a cosine collection, local mode gives no vector back twice the same
VECTORS = models.VectorParams(size=DIMENSION, distance=models.Distance.DOT)


@dataclass
class Qdrant:
    """The application's client and the names of its collections; ``again`` makes another client where one can be had."""

    client: Any
    name: str = "docs"
    sibling: str = "docs-too"


class QdrantFixtures(ConformanceFixtures):
    """All but ``store``; payloads as LangChain lays them out."""

    declared: ClassVar[Declared] = Declared(free_ids=False)

    @contextmanager
    def filled(self, client: Any, native: Any = None) -> Iterator[Qdrant]:
        """``native``: the client that fills it, where that is not the application's."""
        native = native or client
        for name, records in (("docs", self.records()), ("docs-too", self.neighbour_records())):
            native.create_collection(name, vectors_config=VECTORS)
            self.fill_in(native, name, records)
        yield Qdrant(client)
        client.close()

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        return qdrant_target(store.client, store.name, embedder)

    def open_missing(self, store: Any) -> Target:
        return qdrant_target(store.client, "not there", self.embedder())

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        store.client.create_collection("empty", vectors_config=VECTORS)
        return qdrant_target(store.client, "empty", embedder)

    def witness(self, store: Any) -> list[Record]:
        return self.native_records(store.client, store.name)

    def write(self, store: Any, records: Sequence[Record]) -> None:
        self.fill_in(store.client, store.name, records)

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.client.delete(store.name, models.PointIdsList(points=list(ids)))

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {"sibling": self.native_records(store.client, store.sibling)}

    def structure(self, store: Any) -> object:
        names = sorted(c.name for c in store.client.get_collections().collections)
        found = [(name, store.client.get_collection(name)) for name in names]
        return [(name, info.config.model_dump(), info.payload_schema) for name, info in found]

    def app(self, store: Any) -> App:
        embedder = word_embedder()

        def ask(question: str, k: int) -> list[Source]:
            (vector,) = embedder.queries([question]).tolist()
            only = models.Filter(
                must=[models.FieldCondition(key=self.tenant_key, match=models.MatchValue(value="blue"))]
            )
            found = store.client.query_points(store.name, query=vector, limit=k, query_filter=only).points
            return [Source(str(p.id), *self.take_apart(p.payload), p.score) for p in found]

        return ask

    def fill_in(self, client: Any, name: str, records: Sequence[Record]) -> None:
        points = [
            models.PointStruct(id=r.id, vector=[float(x) for x in r.vector], payload=self.lay_out(r)) for r in records
        ]
        client.upsert(name, points, wait=True)

    def native_records(self, client: Any, name: str) -> list[Record]:
        found, _cursor = client.scroll(name, limit=10_000, with_payload=True, with_vectors=True)
        return [Record(str(p.id), *self.take_apart(p.payload), p.vector) for p in found]

    tenant_key: ClassVar[str] = "metadata.tenant"

    def lay_out(self, record: Record) -> dict[str, Any]:
        return {"page_content": record.text, "metadata": dict(record.metadata or {})}

    def take_apart(self, payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        assert payload.keys() == {"page_content", "metadata"}
        return payload["page_content"], payload["metadata"]


class NodeFixtures(QdrantFixtures):
    """Payloads as LlamaIndex lays them out; its metadata is kept out of what is embedded."""

    tenant_key: ClassVar[str] = "tenant"

    def lay_out(self, record: Record) -> dict[str, Any]:
        metadata = dict(record.metadata or {})
        node = {
            "id_": record.id,
            "embedding": None,
            "metadata": metadata,
            "excluded_embed_metadata_keys": sorted(metadata),
            "excluded_llm_metadata_keys": [],
            "relationships": {},
            "metadata_template": "{key}: {value}",
            "metadata_separator": "\n",
            "text": record.text,
            "text_template": "{metadata_str}\n\n{content}",
            "class_name": "TextNode",
        }
        references = dict.fromkeys(("document_id", "doc_id", "ref_doc_id"), "None")
        return {**metadata, "_node_content": json.dumps(node), "_node_type": "TextNode", **references}

    def take_apart(self, payload: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        own = ("_node_content", "_node_type", "document_id", "doc_id", "ref_doc_id")
        node = json.loads(payload["_node_content"])
        metadata = {k: v for k, v in payload.items() if k not in own}
        assert metadata == node["metadata"]
        if "darnel" in metadata:
            return node["text"], metadata
        # of the owner's records, everything is read: no bit of them may change
        return node["text"], {**metadata, **{f"../{k}": payload[k] for k in own}}


def in_memory() -> Any:
    return QdrantClient(":memory:")
