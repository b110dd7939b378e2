"""What the conformance modules of all LlamaIndex stores share; the rest of each is its native client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from darnel.core.corpus import Record, Source, Target
from darnel.embedders.base import Embedder
from darnel.testing import App, ConformanceFixtures

pytest.importorskip("llama_index.core", reason="needs llama-index-core; run: pip install llama-index-core")

from llama_index.core import MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

from darnel.adapters.llamaindex import llamaindex_target

ONLY_BLUE = MetadataFilters(filters=[MetadataFilter(key="tenant", value="blue")])
OWN = ("_node_content", "_node_type", "document_id", "doc_id", "ref_doc_id")


class Words(BaseEmbedding):
    """One of darnel's embedders as LlamaIndex wants it."""

    embedder: Any

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[float(x) for x in row] for row in self.embedder.documents(texts)]

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(x) for x in self.embedder.queries([query])[0]]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


@dataclass
class LlamaIndexApp:
    """The application's storage and index, and what its native client needs."""

    context: StorageContext
    index: VectorStoreIndex
    native: Any = None
    beside: dict[str, Any] = field(default_factory=dict)


class LlamaIndexFixtures(ConformanceFixtures):
    """The application holds an index, and asks it through a retriever that it makes for each question."""

    def made(self, vector_store: Any = None, **native: Any) -> LlamaIndexApp:
        """An empty index over a vector store; None: the in-memory one."""
        context = StorageContext.from_defaults(vector_store=vector_store)
        return LlamaIndexApp(context, VectorStoreIndex([], storage_context=context, embed_model=self.model()), **native)

    def model(self, embedder: Embedder | None = None) -> BaseEmbedding:
        return Words(embedder=embedder or self.embedder())

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        # without an embedder: what LlamaIndex makes of an application that switched embeddings off
        model = MockEmbedding(embed_dim=1) if embedder is None else self.model(embedder)
        return llamaindex_target(again(store, model))

    def write(self, store: Any, records: Sequence[Record]) -> None:
        there = [r.id for r in records if r.id in self.present(store, [r.id for r in records])]
        if there:
            self.delete(store, there)
        store.index.insert_nodes([node(record) for record in records])

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.index.delete_nodes(list(ids), delete_from_docstore=True)

    def present(self, store: Any, ids: Sequence[str]) -> set[str]:
        return {r.id for r in self.witness(store)} & set(ids)

    def app(self, store: Any) -> App:
        return asking(again(store, self.model()))


def again(store: LlamaIndexApp, model: BaseEmbedding) -> VectorStoreIndex:
    """Another index object over the same storage."""
    return VectorStoreIndex(index_struct=store.index.index_struct, storage_context=store.context, embed_model=model)


def asking(index: VectorStoreIndex) -> App:
    """An application whose questions carry a filter."""

    def ask(question: str, k: int) -> list[Source]:
        found = index.as_retriever(similarity_top_k=k, filters=ONLY_BLUE).retrieve(question)
        return [Source(n.node.node_id, n.node.get_content(), dict(n.node.metadata), n.score) for n in found]

    return ask


def node(record: Record) -> TextNode:
    """A node as the application makes it: its metadata is kept out of what is embedded."""
    metadata = dict(record.metadata or {})
    vector = [float(x) for x in record.vector]
    excluded = sorted({*metadata, "shelf", "note"})
    return TextNode(
        id_=record.id,
        text=record.text or "",
        metadata=metadata,
        embedding=vector,
        excluded_embed_metadata_keys=excluded,
    )


def flat_record(id_: str, flat: Mapping[str, Any], vector: Any, document: str | None = None) -> Record:
    """A record from what a text-keeping store has beside its vector, which must agree with the node within."""
    inner = json.loads(flat["_node_content"])
    metadata = {k: v for k, v in flat.items() if k not in OWN}
    assert metadata == inner["metadata"]
    assert inner["id_"] == id_
    return Record(id_, inner["text"] if document is None else document, metadata, vector)
