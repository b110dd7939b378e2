"""langchain-qdrant: points read through the store's own client.

A stopgap: once darnel has a Qdrant adapter, its corpus takes the place of the reading below, as Chroma's does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from darnel.adapters.langchain.stores.access import READ_CHUNK, KnownStore, Vectors, pair_scores, uuid_text, versions
from darnel.core.batches import chunks
from darnel.core.corpus import Capabilities, CorpusDescription, Record
from darnel.core.errors import ContainerMissingError
from darnel.core.plant import KIT_KEY, KIT_VALUE, read_stamp

DISTANCES = ("Euclid", "Manhattan")
"""Metrics whose scores fall with similarity."""
ROUNDING = 1e-6
"""Largest difference of a component of unit vectors that rounding explains."""


class QdrantStore(KnownStore):
    """A ``QdrantVectorStore``: dense, sparse or hybrid, named vectors or unnamed."""

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self._client, self._name = store.client, store.collection_name
        self._seen: dict[str, Any] = {}
        self._local = hasattr(self._client._client, "persistent")
        if not self._client.collection_exists(self._name):
            raise ContainerMissingError(f"no Qdrant collection '{self._name}' in {self._place()}; check its name")

    @property
    def host(self) -> str | None:  # type: ignore[override]
        """See ``StoreAccess.host``."""
        return "" if self._local else str(self._client._client._host)

    @property
    def _dense(self) -> bool:
        return bool(self.store.retrieval_mode.value == "dense")

    @property
    def score_sign(self) -> int | None:  # type: ignore[override]
        """See ``StoreAccess.score_sign``."""
        return -1 if self._dense and self.store.distance.value in DISTANCES else 1

    @property
    def embeds(self) -> bool:
        """See ``StoreAccess.embeds``; a sparse collection needs no dense embedder."""
        return super().embeds or bool(self.store.retrieval_mode.value == "sparse")

    @property
    def vector_search(self) -> str | None:  # type: ignore[override]
        """See ``StoreAccess.vector_search``; sparse and hybrid searches need the text."""
        return "similarity_search_with_score_by_vector" if self._dense else None

    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""
        vectors = self._client.get_collection(self._name).config.params.vectors
        dense = vectors.get(self.store.vector_name) if isinstance(vectors, Mapping) else vectors
        volatile = self._local and not self._client._client.persistent
        return CorpusDescription(
            backend="langchain/qdrant",
            container=self._name,
            identity=f"{self._place()}#{self._name}",
            size=int(self._client.count(self._name, exact=True).count),
            dimension=dense.size if dense else None,
            metric=dense.distance.value.lower() if dense else None,
            shape=self.shape(),
            capabilities=Capabilities(scan=True, vectors=True, search=True, exact=self._local, volatile=volatile),
            versions=versions("langchain-qdrant", "qdrant-client"),
        )

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""
        asked = {point: id_ for id_ in ids if (point := _point_id(id_)) is not None}
        found: dict[str, Record] = {}
        for chunk in chunks(list(asked), READ_CHUNK):
            points = self._client.retrieve(self._name, list(chunk), with_vectors=vectors)
            found.update((asked[p.id], self._record(p)) for p in points)
        return found

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``; no point can bear an id that is no UUID and was given by darnel."""
        super().remove([id_ for id_ in ids if uuid_text(id_)])

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return [str(p.id) for page in self._pages(with_payload=False) for p in page]

    def scan(self, batch: int = READ_CHUNK, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``; pages follow the order of ids, so points written meanwhile hide no other."""
        for page in self._pages(limit=batch, with_vectors=vectors):
            yield [self._record(p) for p in page]

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``; by a filter, or by reading all where the server refuses unindexed ones."""
        from qdrant_client import models

        key = f"{self.store.metadata_payload_key}.{KIT_KEY}"
        mine = models.Filter(must=[models.FieldCondition(key=key, match=models.MatchValue(value=KIT_VALUE))])
        try:
            return [self._record(p) for page in self._pages(scroll_filter=mine) for p in page]
        except Exception:  # strict mode answers 400 to a filter on a key that has no index
            return [r for page in self.scan(vectors=False) for r in page if read_stamp(r.metadata)]

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``."""
        kind = {"Cosine": "cosine", "Dot": "dot", "Euclid": "euclid"}.get(self.store.distance.value)
        return pair_scores(kind, asked, planted) if self._dense and kind else None

    def _pages(self, *, limit: int = READ_CHUNK, **how: Any) -> Iterator[Sequence[Any]]:
        after = None
        while True:
            points, after = self._client.scroll(self._name, limit=limit, offset=after, **how)
            yield points
            if after is None:
                return

    def _record(self, point: Any) -> Record:
        payload = point.payload or {}
        text, metadata = (payload.get(k) for k in (self.store.content_payload_key, self.store.metadata_payload_key))
        vector = _vector(point.vector)
        if isinstance(vector, Mapping):
            vector = {name: self._steady(f"{point.id}/{name}", v) for name, v in vector.items()}
        elif vector is not None:
            vector = self._steady(str(point.id), vector)
        return Record(str(point.id), text, metadata, vector)

    def _steady(self, key: str, vector: Any) -> Any:
        """A vector as it was first seen, while it is the same but for rounding.

        Local mode normalises in place at every search; a digest of what was read would call that a change.
        """
        import numpy as np

        if not self._local or isinstance(vector, Mapping):
            return vector
        unit = np.asarray(vector, dtype=np.float64)
        unit = unit / (np.linalg.norm(unit) or 1.0) if self.store.distance.value == "Cosine" else unit
        known = self._seen.setdefault(key, unit)
        if known.shape == unit.shape and np.abs(known - unit).max() <= ROUNDING:
            return known
        self._seen[key] = unit
        return unit

    def _place(self) -> str:
        inner = self._client._client
        if not self._local:
            return f"{inner._scheme}://{inner._host}:{inner._port}{inner._prefix}"
        return str(Path(inner.location).resolve()) if inner.persistent else f"memory-{os.getpid()}-{id(inner):x}"


def _point_id(id_: str) -> int | str | None:
    """An id as a point can bear it: a number or a UUID."""
    return int(id_) if id_.isdecimal() else uuid_text(id_)


def _vector(given: Any) -> Any:
    """Named vectors as a mapping, sparse ones as indices and values; one unnamed vector as it is."""
    if isinstance(given, Mapping):
        return {name: _vector(v) for name, v in given.items()}
    if hasattr(given, "indices"):
        return {"indices": given.indices, "values": given.values}
    return given
