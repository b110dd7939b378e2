"""One Chroma collection as injector, reader and retriever.

Chroma's own ways that this works around: ``add`` is silently ignored on an existing id, ``upsert`` merges metadata, a
delete reports what was asked rather than what went, and documents sent without vectors are embedded by a model of
Chroma's choice. So: vectors always, ``None`` for each stale metadata key, read back rather than believe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from darnel.core.corpus import Capabilities, CorpusDescription, Record, RecordShape, Reply, Source
from darnel.core.errors import EmbedderError, EmptyCorpusError, PlantError
from darnel.core.plant import KIT_KEY, KIT_VALUE, Plant, read_stamp
from darnel.core.planting.batches import batches, chunks
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.shape import learn_shape
from darnel.core.planting.waiting import steadily
from darnel.embedders.base import Embedder, needed
from darnel.embedders.check import check_dimension, check_vectors

READ_CHUNK = 2_000
DELETE_CHUNK = 1_000
QUERY_CHUNK = 500
SHAPE_SAMPLE = 32
TRIES = 5
SHAPE_WINDOWS = 8
RESERVED_KEYS = ("chroma:document",)
MAX_REQUEST_BYTES = 16_000_000
"""Well under the 40 MB at which a server answers "payload too large"."""


class ChromaCorpus:
    """A collection, reached through the application's own client or one opened for it.

    Args:
        collection: a chromadb ``Collection``.
        embedder: the application's; needed to plant and to ask, not to read or remove.
        where: filter that the application's queries carry, applied to every question.
        switch: gives the collection through a client that the application has opened since, if it has.
    """

    def __init__(
        self,
        collection: Any,
        embedder: Embedder | None = None,
        *,
        where: Mapping[str, Any] | None = None,
        switch: Callable[[], Any] = lambda: None,
    ) -> None:
        self.collection, self.embedder, self._switch = collection, embedder, switch
        self._bare: set[str] = set()
        self._where = dict(where) if where else None
        self._described: CorpusDescription | None = None

    @property
    def _api(self) -> Any:
        """The server API under every kind of client; collections carry no other way to it."""
        return self.collection._client

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``."""
        name = f"{self.collection.tenant}/{self.collection.database}/{self.collection.name}"
        self._described = CorpusDescription(
            backend="chroma",
            container=self.collection.name if name.startswith("default_tenant/default_database/") else name,
            identity=str(self.collection.id),
            size=self.collection.count(),
            dimension=self._dimension(),
            metric=self._metric(),
            embedder=self.embedder.name if self.embedder else None,
            shape=self._shape(),
            capabilities=Capabilities(scan=True, vectors=True, search=True),
            versions=self._versions(),
            max_batch=int(self._api.get_max_batch_size()),
            max_batch_bytes=MAX_REQUEST_BYTES,
        )
        return self._described

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``."""
        if not plants:
            return
        where = self._described if self._described and self._described.dimension else self.describe()
        # a client keeps its own view of a folder: what is written through another is not seen by the application's
        self.collection = self._switch() or self.collection
        _refuse_keys(plants)
        vectors = self._vectors(plants, where.dimension)
        found = steadily(lambda: self.read([p.id for p in plants]))
        refuse_foreign(found, plants[0].campaign)
        start = 0
        for batch in batches(plants, where):
            self.collection.upsert(
                ids=[p.id for p in batch],
                documents=[p.text for p in batch],
                embeddings=vectors[start : start + len(batch)],
                metadatas=[_replacing(p.metadata, found.get(p.id)) for p in batch],
            )
            start += len(batch)

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``; reads the stamps first, since a delete by ids and filter takes many times as long.

        A server whose client was killed while writing keeps that write in its log, where no read sees it, until the next
        write to the collection; so absent ids are deleted too.
        """
        for chunk in chunks(list(dict.fromkeys(ids)), DELETE_CHUNK):  # a repeated id would raise
            found = _records(self.collection.get(ids=list(chunk), include=["metadatas"]))
            foreign = {r.id for r in found if read_stamp(r.metadata) is None}
            if rest := [id_ for id_ in chunk if id_ not in foreign]:  # an empty list would raise
                self.collection.delete(ids=rest)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``; without vectors."""
        return self._read(ids, ["documents", "metadatas"])

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``VectorReader.read_vectors``."""
        return self._read(ids, ["documents", "metadatas", "embeddings"])

    def scan(self, batch: int = READ_CHUNK, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``; by id, since paging by offset can miss records of a corpus that changes."""
        include = ["documents", "metadatas", *(["embeddings"] if vectors else [])]
        for chunk in chunks(self.ids(), batch):
            yield _records(self.collection.get(ids=list(chunk), include=include))

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return list(self.collection.get(include=[])["ids"])

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return _records(self.collection.get(where={KIT_KEY: KIT_VALUE}, include=["documents", "metadatas"]))

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``; scores are negated distances, so higher is better. Texts are not fetched."""
        if self.embedder is None:
            raise EmbedderError("asking needs the application's embedder; give it with --embedder")
        replies: list[Reply] = []
        for chunk in chunks(list(queries), QUERY_CHUNK):
            replies.extend(self._ask(self.embedder.queries(chunk), k))
        return replies

    def _ask(self, vectors: Any, k: int) -> list[Reply]:
        """Ask by vector; a list that names a record which is gone by then is asked again.

        What another client deletes meanwhile comes back for a moment, without its metadata, and so as nobody's plant.
        """
        rows = self._rows(vectors, k)
        for _ in range(TRIES):
            gone = self._vanished([row for found in rows for row in found if row[1] is None])
            stale = [number for number, found in enumerate(rows) if any(row[0] in gone for row in found)]
            if not stale:
                break
            for number, found in zip(stale, self._rows([vectors[number] for number in stale], k), strict=True):
                rows[number] = found
        return [Reply(tuple(Source(i, None, m, -float(d)) for i, m, d in found)) for found in rows]

    def _rows(self, vectors: Any, k: int) -> list[list[tuple[str, Any, float]]]:
        """Id, metadata and distance of each record found, a list for each vector."""
        found = self.collection.query(
            query_embeddings=vectors, n_results=k, where=self._where, include=["metadatas", "distances"]
        )
        columns = zip(found["ids"], found["metadatas"], found["distances"], strict=True)
        return [list(zip(*column, strict=True)) for column in columns]

    def _vanished(self, bare: Sequence[tuple[str, Any, float]]) -> set[str]:
        """Of records that came without metadata, those that are not there; the owner's own bare ones are remembered."""
        asked = {id_ for id_, _, _ in bare} - self._bare
        there = set(self._read(list(asked), []))  # in chunks: a call takes so many ids and no more
        self._bare |= there
        return asked - there

    def query_vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See ``VectorWriter.query_vectors``."""
        return list(needed(self.embedder).queries(texts))

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """See ``ExactScorer.exact_scores``; from the embedder's vectors, by the collection's metric."""
        if self.embedder is None:
            return None
        planted = self._vectors(plants, self.embedder.dimension)
        return pair_scores(self._metric(), self.embedder.queries(queries), planted)

    def _read(self, ids: Sequence[str], include: list[str]) -> dict[str, Record]:
        records: dict[str, Record] = {}
        for chunk in chunks(list(dict.fromkeys(ids)), READ_CHUNK):
            records.update((r.id, r) for r in _records(self.collection.get(ids=list(chunk), include=include)))
        return records

    def _vectors(self, plants: Sequence[Plant], dimension: int | None) -> Any:
        if dimension is None:
            raise EmptyCorpusError(
                f"collection '{self.collection.name}' never held a vector, so the first one written would fix its dimension "
                "for good; fill it first"
            )
        bare = [p.text for p in plants if p.vector is None]
        if bare and self.embedder is None:
            raise EmbedderError("planting needs the application's embedder; give it with --embedder")
        if bare and self.embedder is not None:
            check_dimension(self.embedder, dimension)
        made = iter(self.embedder.documents(bare) if bare and self.embedder else ())
        return check_vectors([next(made, ()) if p.vector is None else p.vector for p in plants], dimension)

    def _dimension(self) -> int | None:
        # only a fresh handle knows the dimension, and only once something was ever added
        known = self.collection
        model = self._api.get_collection(known.name, tenant=known.tenant, database=known.database)
        return model.dimension if isinstance(model.dimension, int) else None

    def _versions(self) -> dict[str, str]:
        import chromadb

        server, package = str(self._api.get_version()), str(chromadb.__version__)
        return {"chromadb": package} if server == package else {"chromadb": package, "chroma server": server}

    def _metric(self) -> str | None:
        settings = (
            self.collection.configuration_json
        )  # not .configuration, which builds the application's embedding function
        index = settings.get("hnsw") or settings.get("spann") or {}
        space = index.get("space")
        return str(space) if space else None

    def _shape(self) -> RecordShape:
        """Learned from windows spread over the collection: what was added together is often of one tenant or source."""
        size, found = self.collection.count(), dict[str, Record]()
        window = max(1, SHAPE_SAMPLE // SHAPE_WINDOWS)
        for offset in sorted({size * i // SHAPE_WINDOWS for i in range(SHAPE_WINDOWS)}):
            page = self.collection.get(limit=window, offset=offset, include=["documents", "metadatas"])
            found.update((r.id, r) for r in _records(page))
        return learn_shape(list(found.values()))


def pair_scores(metric: str | None, asked: Any, planted: Any) -> list[float] | None:
    """Chroma's distances of row from row, negated: squared for l2, else 1 less the similarity; None for another metric."""
    import numpy as np

    asked, planted = np.asarray(asked, dtype=np.float64), np.asarray(planted, dtype=np.float64)
    if metric == "l2":
        return [float(s) for s in -((asked - planted) ** 2).sum(axis=1)]
    dots = (asked * planted).sum(axis=1)
    if metric == "cosine":
        lengths = np.linalg.norm(asked, axis=1) * np.linalg.norm(planted, axis=1)
        dots = dots / np.where(lengths == 0, 1, lengths)
    return [float(s) for s in dots - 1] if metric in ("cosine", "ip") else None


def _refuse_keys(plants: Sequence[Plant]) -> None:
    for key in {k for p in plants for k in p.metadata}:
        if not key or key in RESERVED_KEYS or key.startswith(("#", "$")):
            raise PlantError(f"Chroma keeps the metadata key {key!r} for itself; give the plants another")


def _records(found: Mapping[str, Any]) -> list[Record]:
    ids = found["ids"]
    empty = [None] * len(ids)
    columns = [found.get(name) for name in ("documents", "metadatas", "embeddings")]
    return [Record(*row) for row in zip(ids, *(empty if c is None else c for c in columns), strict=True)]


def _replacing(metadata: Mapping[str, Any], old: Record | None) -> dict[str, Any]:
    """Metadata for an upsert that leaves exactly these keys: stale ones are set to None, which removes them."""
    stale = set((old.metadata or {}) if old else ()) - metadata.keys()
    return {**dict.fromkeys(stale), **{k: v for k, v in metadata.items() if v is not None}}
