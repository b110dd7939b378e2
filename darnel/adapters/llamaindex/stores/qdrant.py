"""QdrantVectorStore: points with the node as JSON in the payload, read and deleted through the store's client.

What the Qdrant adapter knows of clients, pages, errors and the vectors of local mode is used from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit

from darnel.adapters.llamaindex.nodes import StoredNode, read_flat
from darnel.adapters.llamaindex.stores.base import Place
from darnel.adapters.qdrant.corpus import NODE_OVERHEAD, QdrantCorpus
from darnel.adapters.qdrant.faults import call, require_completed
from darnel.adapters.qdrant.points import MAX_REQUEST_BYTES, point_id
from darnel.adapters.qdrant.sample import SAMPLE, sample
from darnel.adapters.qdrant.steady import SteadyVectors
from darnel.adapters.qdrant.vectors import LOWER_IS_BETTER, plain
from darnel.core.errors import ContainerMissingError, TargetError
from darnel.core.planting.batches import chunks


class QdrantStore:
    """Reads and deletes points by id."""

    honours_node_ids = True
    honours_doc_ids = True

    def __init__(self, store: Any) -> None:
        self._store, self._client, self._name = store, store._client, store.collection_name

    @property
    def folder(self) -> str:
        """See ``NativeStore.folder``."""
        return self._corpus.place.where if self._client is not None and self._corpus.place.local else ""

    @property
    def host(self) -> str:
        """See ``NativeStore.host``."""
        local = self._client is None or self._corpus.place.local
        return "" if local else urlsplit(self._corpus.place.where).hostname or ""

    def place(self) -> Place:
        """See ``NativeStore.place``."""
        self.refuse_unwritable()
        corpus = self._corpus
        dense = corpus.setup.vectors.dense[self._store.dense_vector_name]
        return Place(
            container=f"QdrantVectorStore/{self._name}",
            identity=f"{corpus.place.identity}#{self._name}",
            size=call(self._client.count, self._name, exact=True).count,
            dimension=dense.size,
            metric=dense.distance.lower(),
            exact=corpus.place.local,
            volatile=corpus.place.volatile,
            max_batch=corpus.setup.limits.batch,
            max_batch_bytes=MAX_REQUEST_BYTES // NODE_OVERHEAD,
            versions={"qdrant-client": version("qdrant-client")},
        )

    def refuse_unwritable(self) -> None:
        """See ``NativeStore.refuse_unwritable``."""
        store, name = self._store, self._name
        if self._client is None:
            raise TargetError("the QdrantVectorStore has only an async client; give it a QdrantClient too: client=...")
        if not call(self._client.collection_exists, name):
            raise ContainerMissingError(
                f"no Qdrant collection '{name}'; the first write would create it, so fill it first"
            )
        if not store._collection_initialized:
            raise TargetError(f"the QdrantVectorStore was made before its collection '{name}' existed; make it again")
        if getattr(store._sharding_method, "value", None) == "custom":
            raise TargetError(
                f"Qdrant collection '{name}' uses custom shards, and darnel cannot tell which is the application's"
            )
        vectors = self._corpus.setup.vectors
        if vectors.sparse and not self._encodes(vectors.sparse):
            raise TargetError(
                f"Qdrant collection '{name}' has sparse vectors ({', '.join(sorted(vectors.sparse))}) and this "
                "QdrantVectorStore no encoder for them, so its sparse search could not find a plant; make it with "
                "enable_hybrid=True and sparse_doc_fn=... as the application does"
            )
        if store.dense_vector_name not in vectors.dense:
            raise TargetError(
                f"Qdrant collection '{name}' has the vectors {', '.join(sorted(vectors.dense))} and this "
                f"QdrantVectorStore wants '{store.dense_vector_name}'; make it with dense_vector_name=... as the "
                "application does"
            )

    def refuse(self, nodes: Sequence[Any]) -> None:
        """See ``NativeStore.refuse``; it takes any."""

    def ids(self) -> list[str]:
        """See ``NativeStore.ids``."""
        return list(self._corpus.ids())

    def sample(self, count: int) -> list[StoredNode]:
        """See ``NativeStore.sample``."""
        if count <= SAMPLE:
            points = sample(self._client, self._name, call(self._client.get_collection, self._name))[:count]
        else:
            points, _more = call(self._client.scroll, self._name, limit=count, with_payload=True)
        return [self._node(point) for point in points]

    def fetch(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredNode]:
        """See ``NativeStore.fetch``."""
        found: dict[str, StoredNode] = {}
        known = [point for id_ in dict.fromkeys(ids) if (point := point_id(id_)) is not None]
        for page in chunks(known, self._corpus.setup.limits.page):
            points = call(self._client.retrieve, self._name, ids=page, with_payload=True, with_vectors=vectors)
            found.update((str(point.id), self._node(point)) for point in points)
        return found

    def plants(self) -> set[str]:
        """See ``NativeStore.plants``."""
        return {record.id for record in self._corpus.plants()}

    def delete(self, ids: Sequence[str]) -> None:
        """See ``NativeStore.delete``; by a list of ids, where LlamaIndex would send a filter."""
        from qdrant_client.models import PointIdsList, WriteOrdering

        points = [point for id_ in ids if (point := point_id(id_)) is not None]
        for page in chunks(points, self._corpus.setup.limits.page):
            done = call(
                self._client.delete,
                self._name,
                points_selector=PointIdsList(points=list(page)),
                wait=True,
                ordering=WriteOrdering.STRONG,
            )
            require_completed(done, "a removal")

    def score(self, similarity: float | None) -> float | None:
        """See ``NativeStore.score``; LlamaIndex passes a distance on as the score."""
        if similarity is None or self._distance not in LOWER_IS_BETTER:
            return similarity
        return -similarity

    def exact_scores(self, asked: Any, planted: Any) -> Sequence[float] | None:
        """See ``NativeStore.exact_scores``; of a server, plants are looked for by their own text instead."""
        return None

    def dense(self, vector: Any) -> Any:
        """See ``NativeStore.dense``."""
        return vector.get(self._store.dense_vector_name) if isinstance(vector, Mapping) else vector

    @cached_property
    def _corpus(self) -> QdrantCorpus:
        return QdrantCorpus(self._client, self._name)

    @cached_property
    def _distance(self) -> str:
        found = self._corpus.setup.vectors.dense.get(self._store.dense_vector_name)
        return found.distance if found else ""

    @cached_property
    def _steady(self) -> SteadyVectors | None:
        return SteadyVectors(self._corpus.setup.vectors) if self._corpus.place.local else None

    def _encodes(self, sparse: frozenset[str]) -> bool:
        encoder = getattr(self._store, "_sparse_doc_fn", None)
        return bool(self._store.enable_hybrid and encoder is not None and self._store.sparse_vector_name in sparse)

    def _node(self, point: Any) -> StoredNode:
        vector = plain(point.vector)
        if self._steady is not None and vector is not None:
            vector = self._steady.steady(str(point.id), vector)
        node = read_flat(str(point.id), point.payload or {}, vector=vector)
        if node.style is None and node.text is None:
            return StoredNode(node.id, node.metadata.get(self._store.text_key), node.metadata, node.vector)
        return node
