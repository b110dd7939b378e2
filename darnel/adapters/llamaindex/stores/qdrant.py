"""QdrantVectorStore: points with the node as JSON in the payload, read and deleted through the store's client."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from importlib.metadata import version
from itertools import count
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from darnel.adapters.llamaindex.nodes import StoredNode, read_flat
from darnel.adapters.llamaindex.stores.base import Place
from darnel.adapters.llamaindex.stores.settle import settled
from darnel.core.batches import chunks
from darnel.core.errors import ContainerMissingError, TargetError
from darnel.core.plant import KIT_KEY, KIT_VALUE

PAGE = 1_000
DISTANCES = frozenset({"euclid", "manhattan"})
"""Metrics by which less is better; LlamaIndex passes the distance on as the score."""

_numbers = count(1)
_in_memory: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class QdrantStore:
    """Reads and deletes points by id."""

    honours_node_ids = True
    honours_doc_ids = True

    def __init__(self, store: Any) -> None:
        self._store, self._client, self._name = store, store._client, store.collection_name

    def place(self) -> Place:
        """See ``NativeStore.place``."""
        settings = self._settings()
        inner = self._client._client
        path = getattr(inner, "location", None)  # of a local one
        if path is None:
            location = str(getattr(inner, "rest_uri", ""))
        else:
            location = os.path.abspath(path) if path != ":memory:" else f":memory:{_number(inner)}"
        return Place(
            container=f"QdrantVectorStore/{self._name}",
            identity=f"{location}#{self._name}",
            size=self._client.count(self._name, exact=True).count,
            dimension=settings.size,
            metric=settings.distance.value.lower(),
            folder=location if path not in (None, ":memory:") else "",
            host=urlsplit(location).hostname or "" if path is None else "",
            volatile=path == ":memory:",
            versions={"qdrant-client": version("qdrant-client")},
        )

    def refuse(self, nodes: Sequence[Any]) -> None:
        """See ``NativeStore.refuse``; it takes any."""

    def ids(self) -> list[str]:
        """See ``NativeStore.ids``."""
        return [str(point.id) for page in self._pages(with_payload=False) for point in page]

    def sample(self, count: int) -> list[StoredNode]:
        """See ``NativeStore.sample``."""
        points, _next = self._client.scroll(self._name, limit=count, with_payload=True, with_vectors=False)
        return [self._node(point) for point in points]

    def fetch(self, ids: Sequence[str], *, vectors: bool = True) -> dict[str, StoredNode]:
        """See ``NativeStore.fetch``."""
        found = {}
        for chunk in chunks([_point_id(id_) for id_ in ids], PAGE):
            points = self._client.retrieve(self._name, ids=chunk, with_payload=True, with_vectors=vectors)
            found.update({str(point.id): self._node(point) for point in points})
        return found

    def plants(self) -> set[str]:
        """See ``NativeStore.plants``; by reading everything where the server refuses a filter without an index."""
        from qdrant_client.http.exceptions import UnexpectedResponse
        from qdrant_client.models import FieldCondition, Filter, MatchValue

        ours = Filter(must=[FieldCondition(key=KIT_KEY, match=MatchValue(value=KIT_VALUE))])
        try:
            return {str(point.id) for page in self._pages(with_payload=False, scroll_filter=ours) for point in page}
        except UnexpectedResponse:
            pages = self._pages(with_payload=[KIT_KEY])
            return {str(p.id) for page in pages for p in page if (p.payload or {}).get(KIT_KEY) == KIT_VALUE}

    def delete(self, ids: Sequence[str]) -> None:
        """See ``NativeStore.delete``; by a list of ids, where LlamaIndex would send a filter."""
        from qdrant_client.models import PointIdsList

        self._client.delete(self._name, points_selector=PointIdsList(points=list(ids)), wait=True)

    def score(self, similarity: float | None) -> float | None:
        """See ``NativeStore.score``."""
        return -similarity if similarity is not None and self._by_distance else similarity

    def dense(self, vector: Any) -> Any:
        """See ``NativeStore.dense``."""
        return vector.get(self._store.dense_vector_name) if isinstance(vector, Mapping) else vector

    def _settings(self) -> Any:
        """The parameters of the vector searched by, once all is as writing through this store needs it."""
        store, name = self._store, self._name
        if self._client is None:
            raise TargetError("the QdrantVectorStore has only an async client; give it a QdrantClient too: client=...")
        if not self._client.collection_exists(name):
            raise ContainerMissingError(
                f"no Qdrant collection '{name}'; the first write would create it, so fill it first"
            )
        if not store._collection_initialized:
            raise TargetError(f"the QdrantVectorStore was made before its collection '{name}' existed; make it again")
        if getattr(store._sharding_method, "value", None) == "custom":
            raise TargetError(
                f"Qdrant collection '{name}' uses custom shards, and darnel cannot tell which is the application's"
            )
        params = self._client.get_collection(name).config.params
        if params.sparse_vectors and not self._encodes_sparse(params.sparse_vectors):
            raise TargetError(
                f"Qdrant collection '{name}' has sparse vectors ({', '.join(sorted(params.sparse_vectors))}) and this "
                "QdrantVectorStore no encoder for them, so its sparse search could not find a plant; make it with "
                "enable_hybrid=True and sparse_doc_fn=... as the application does"
            )
        if not isinstance(params.vectors, Mapping):
            return params.vectors
        if store.dense_vector_name not in params.vectors:
            raise TargetError(
                f"Qdrant collection '{name}' has the vectors {', '.join(sorted(params.vectors))} and this QdrantVectorStore "
                f"wants '{store.dense_vector_name}'; make it with dense_vector_name=... as the application does"
            )
        return params.vectors[store.dense_vector_name]

    def _encodes_sparse(self, configured: Mapping[str, Any]) -> bool:
        store = self._store
        encoder = getattr(store, "_sparse_doc_fn", None)
        return bool(store.enable_hybrid and encoder is not None and store.sparse_vector_name in configured)

    def _pages(self, **what: Any) -> Iterator[Sequence[Any]]:
        offset = None
        while True:
            points, offset = self._client.scroll(self._name, limit=PAGE, offset=offset, with_vectors=False, **what)
            yield points
            if offset is None:
                return

    @cached_property
    def _metrics(self) -> Mapping[str, str]:
        """Metric of each vector, by its name; "" where it has none. Multivectors are left out."""
        vectors = self._client.get_collection(self._name).config.params.vectors
        named = vectors if isinstance(vectors, Mapping) else {"": vectors}
        return {name: each.distance.value.lower() for name, each in named.items() if each.multivector_config is None}

    @property
    def _by_distance(self) -> bool:
        return self._metrics.get(self._store.dense_vector_name) in DISTANCES

    @property
    def _settles(self) -> Set[str]:
        """Names of the vectors that a local client changes by searching."""
        local = hasattr(self._client._client, "location")
        return {name for name, metric in self._metrics.items() if local and metric == "cosine"}

    def _node(self, point: Any) -> StoredNode:
        payload = point.payload or {}
        node = read_flat(str(point.id), payload, vector=_floats(point.vector, self._settles))
        if node.style is None and node.text is None:
            return StoredNode(node.id, payload.get(self._store.text_key), payload, node.vector)
        return node


def _floats(vector: Any, settles: Set[str]) -> Any:
    """One vector's floats where there is one; else name → floats, a sparse vector as its values and indices.

    ``settles``: the vectors to be compared at rest.
    """
    if vector is None:
        return None
    if not isinstance(vector, Mapping):
        return settled(vector) if "" in settles else vector
    floats: dict[str, Any] = {}
    for name, part in vector.items():
        if hasattr(part, "indices"):
            floats[f"{name} values"] = part.values
            # halves, each of which a float32 holds exactly
            floats[f"{name} indices"] = [half for i in part.indices for half in divmod(i, 65_536)]
        else:
            floats[name] = settled(part) if name in settles else part
    return floats


def _point_id(id_: str) -> int | str:
    return int(id_) if id_.isdecimal() else id_


def _number(client: Any) -> int:
    if client not in _in_memory:
        _in_memory[client] = next(_numbers)
    return _in_memory[client]
