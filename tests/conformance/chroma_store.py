"""Both Chroma test modules: a collection, a sibling, and a namesake in another tenant, by chromadb alone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from darnel.adapters.chroma import chroma_target, open_chroma
from darnel.adapters.spec import parse_spec
from darnel.core.corpus import Record, Source, Target
from darnel.embedders.base import Embedder
from darnel.testing import App, ConformanceFixtures, word_embedder
from darnel.testing.witness import digests


@dataclass
class Chroma:
    """The application's collection, what stands beside it, and where darnel finds it. ``beside``: name → client, name."""

    client: Any
    collection: Any
    beside: dict[str, tuple[Any, str]]
    spec: str
    maker: type
    fingerprint: object = None

    @property
    def names(self) -> set[str]:
        return {self.collection.name, self.beside["sibling"][1]}


_made: dict[int, Chroma] = {}
"""By client; what is in here keeps its client alive, so no id is another's."""


class ChromaFixtures(ConformanceFixtures):
    """All but ``store`` and ``second_app``, which differ between a folder and a server."""

    @contextmanager
    def filled(self, clients: tuple[Any, Any], where: object) -> Iterator[Chroma]:
        """The same collections for test after test: Chroma never gives back the memory of one that was deleted."""
        store = _made.get(id(clients[0]))
        if store is None or store.maker is not type(self) or self._fingerprint(store) != store.fingerprint:
            store = _made[id(clients[0])] = self._make(clients, where)
        if there := store.collection.get(include=[])["ids"]:
            store.collection.delete(ids=there)
        put(store.collection, self.records())
        yield store
        for extra in {c.name for c in store.client.list_collections()} - store.names:
            store.client.delete_collection(extra)

    def _make(self, clients: tuple[Any, Any], where: object) -> Chroma:
        for client in clients:
            for found in client.list_collections():
                client.delete_collection(found.name)
        client, other_tenant = clients
        name = f"docs-{uuid.uuid4().hex[:8]}"
        beside = {"sibling": (client, f"{name}-too"), "tenant": (other_tenant, name)}
        collection = client.create_collection(name, embedding_function=None, metadata={"owner": "the app"})
        put(collection, self.records())
        for neighbour, label in beside.values():
            put(neighbour.create_collection(label, embedding_function=None), self.neighbour_records())
        store = Chroma(client, collection, beside, f"chroma:{where}?tenant={client.tenant}#{name}", type(self))
        store.fingerprint = self._fingerprint(store)
        return store

    def _fingerprint(self, store: Chroma) -> object:
        """All but the records of the collection under test."""
        structure = self.structure(store)
        try:
            return structure, {name: digests(found) for name, found in self.neighbours(store).items()}
        except Exception:  # a broken adapter took one away
            return None

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        return chroma_target(store.collection, embedder)

    def reopen(self, store: Any, embedder: Embedder | None) -> Target:
        return open_chroma(parse_spec(store.spec), embedder)

    def open_missing(self, store: Any) -> Target:
        return open_chroma(parse_spec(f"{store.spec}-not-there"), self.embedder())

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        return chroma_target(store.client.create_collection("empty", embedding_function=None), embedder)

    def witness(self, store: Any) -> list[Record]:
        return everything(store.collection)

    def write(self, store: Any, records: Sequence[Record]) -> None:
        put(store.collection, records)

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        store.collection.delete(ids=list(ids))

    def neighbours(self, store: Any) -> dict[str, list[Record]]:
        return {name: everything(client.get_collection(label)) for name, (client, label) in store.beside.items()}

    def structure(self, store: Any) -> object:
        clients = {"own": store.client, **{name: client for name, (client, _) in store.beside.items()}}
        return {
            name: sorted(
                (c.name, str(c.id), repr(c.metadata), repr(c.configuration), c._model.dimension)
                for c in client.list_collections()
            )
            for name, client in clients.items()
        }

    def app(self, store: Any) -> App:
        return asking(store.collection)


def put(collection: Any, records: Sequence[Record]) -> None:
    """As an application writes: the whole record, so what was there goes first."""
    if there := collection.get(ids=[r.id for r in records], include=[])["ids"]:
        collection.delete(ids=there)
    collection.add(
        ids=[r.id for r in records],
        documents=[r.text for r in records],
        metadatas=[dict(r.metadata) if r.metadata else None for r in records],
        embeddings=[r.vector for r in records],
    )


def everything(collection: Any) -> list[Record]:
    found = collection.get(include=["documents", "metadatas", "embeddings"])
    columns = (found[name] for name in ("ids", "documents", "metadatas", "embeddings"))
    return [Record(*row) for row in zip(*columns, strict=True)]


def asking(collection: Any) -> App:
    """An application whose questions carry a filter."""
    embedder = word_embedder()

    def ask(question: str, k: int) -> list[Source]:
        vectors = embedder.queries([question])
        found = collection.query(query_embeddings=vectors, n_results=k, where={"tenant": "blue"})
        columns = (found[name][0] for name in ("ids", "documents", "metadatas"))
        return [Source(*row) for row in zip(*columns, strict=True)]

    return ask
