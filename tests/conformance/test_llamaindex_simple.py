"""LlamaIndex's in-memory vector store, with its texts in the docstore."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import ConformanceSuite, Declared

from .llamaindex_store import LlamaIndexApp, LlamaIndexFixtures, node


class SimpleFixtures(LlamaIndexFixtures):
    declared: ClassVar[Declared] = Declared(named=False, second_client=False)
    patience: ClassVar[float] = 0.2

    @pytest.fixture
    def store(self) -> LlamaIndexApp:
        store, beside = self.made(), self.made()
        for app, records in ((store, self.records()), (beside, self.neighbour_records())):
            app.index.insert_nodes([node(r) for r in records])
        store.beside["next door"] = beside
        return store

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return self.open(self.made(), embedder)

    def witness(self, store: Any) -> list[Record]:
        data = store.context.vector_store.to_dict()
        tables = store.context.docstore.to_dict()
        nodes, hashes = (tables.get(f"docstore/{name}", {}) for name in ("data", "metadata"))
        assert set(data["embedding_dict"]) == set(nodes) == set(hashes) == set(store.index.index_struct.nodes_dict)
        sources = {id_ for info in tables.get("docstore/ref_doc_info", {}).values() for id_ in info["node_ids"]}
        assert sources <= set(nodes)
        found = []
        for id_, row in nodes.items():
            inner = row["__data__"]
            beside = {k: v for k, v in data["metadata_dict"][id_].items() if not k.startswith("_")}
            references = {k: beside.pop(k) for k in ("document_id", "doc_id", "ref_doc_id")}
            assert beside == inner["metadata"]
            assert len(set(references.values())) == 1
            found.append(Record(id_, inner["text"], inner["metadata"], data["embedding_dict"][id_]))
        return found

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {name: self.witness(app) for name, app in store.beside.items()}

    def structure(self, store: Any) -> object:
        infos = store.context.docstore.to_dict().get("docstore/ref_doc_info", {})
        return store.index.index_id, {k: v for k, v in infos.items() if "darnel" not in v["metadata"]}


class TestLlamaIndexSimple(SimpleFixtures, ConformanceSuite):
    """Exact search."""
