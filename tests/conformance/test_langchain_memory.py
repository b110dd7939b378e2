"""LangChain's ``InMemoryVectorStore``; its native client is a dictionary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

from darnel.core.corpus import Record, Target
from darnel.embedders.base import Embedder
from darnel.testing import Declared

from .langchain_store import Embeddings, LangChainFixtures, LangChainSuite


class MemoryFixtures(LangChainFixtures):
    declared: ClassVar[Declared] = Declared(named=False)
    patience: ClassVar[float] = 0.2

    @pytest.fixture
    def store(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {"docs": {}, "next door": {}}
        for name, records in (("docs", self.records()), ("next door", self.neighbour_records())):
            found[name].update((r.id, row(r)) for r in records)
        return found

    def vectorstore(self, store: Any, embeddings: Embeddings | None) -> Any:
        from langchain_core.vectorstores import InMemoryVectorStore

        made = InMemoryVectorStore(embeddings)  # type: ignore[arg-type]  # None: an application that lost its own
        made.store = store["docs"]
        return made

    def only_blue(self) -> Any:
        return lambda document: document.metadata.get("tenant") == "blue"

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return self.open({"docs": store.setdefault("empty", {})}, embedder)

    def witness(self, store: Any) -> list[Record]:
        return everything(store["docs"])

    def write(self, store: Any, records: Sequence[Record]) -> None:
        store["docs"].update((r.id, row(r)) for r in records)

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        for id_ in ids:
            del store["docs"][id_]

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {"next door": everything(store["next door"])}

    def structure(self, store: Any) -> object:
        return {
            name: set(map(len, {len(r["vector"]): "" for r in rows.values()}.values())) for name, rows in store.items()
        }


def row(record: Record) -> dict[str, Any]:
    vector = [float(x) for x in record.vector]
    return {"id": record.id, "text": record.text, "metadata": dict(record.metadata or {}), "vector": vector}


def everything(rows: dict[str, Any]) -> list[Record]:
    return [Record(i, r["text"], dict(r["metadata"]), list(r["vector"])) for i, r in rows.items()]


class TestLangChainMemory(MemoryFixtures, LangChainSuite):
    """Exact search."""
