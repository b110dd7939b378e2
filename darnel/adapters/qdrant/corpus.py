"""One Qdrant collection as injector, reader and retriever.

Qdrant's own ways that this works around: an upsert is blind, so absent ids are written insert-only and present ones are
read first; an answer may come before the deed, so only ``completed`` counts; an empty filter matches everything, so
nothing is ever deleted but by ids that were read and found to be plants; strict mode refuses filters, so none is needed.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from darnel.adapters.qdrant.detect import given_layout
from darnel.adapters.qdrant.faults import RefusedError, StoreError, call, require_completed
from darnel.adapters.qdrant.layouts import stamp_places, stamp_selector, stamps_in
from darnel.adapters.qdrant.options import QdrantOptions
from darnel.adapters.qdrant.place import Place, gate, locate
from darnel.adapters.qdrant.points import MAX_REQUEST_BYTES, by_size, make_points, point_id, to_record
from darnel.adapters.qdrant.sample import sample
from darnel.adapters.qdrant.search import exact_scores, replies
from darnel.adapters.qdrant.setup import Setup, learn_setup
from darnel.adapters.qdrant.steady import SteadyVectors
from darnel.core.corpus import Capabilities, CorpusDescription, Record, Reply
from darnel.core.plant import KIT_VALUE, Plant, read_stamp
from darnel.core.planting.batches import chunks
from darnel.core.planting.guard import refuse_foreign
from darnel.embedders.base import Embedder, needed

IDS_PAGE = 10_000
"""Points read at once where no vectors come with them."""
INSERT_ONLY_SINCE = (1, 17)
NODE_OVERHEAD = 3
"""A LlamaIndex payload holds text and metadata twice, once as JSON within JSON."""
T = TypeVar("T")
log = logging.getLogger("darnel.qdrant")


class QdrantCorpus:
    """A collection, reached through the application's own client or one opened for it.

    Args:
        client: a ``QdrantClient``, of any kind.
        collection: its name (not an alias, which may point elsewhere tomorrow).
        embedder: the application's; needed to plant and to ask, not to read or remove.
        options: what the collection does not tell by itself.
    """

    def __init__(
        self, client: Any, collection: str, embedder: Embedder | None = None, options: QdrantOptions | None = None
    ) -> None:
        self.client, self.collection, self.embedder = client, collection, embedder
        self.options = options or QdrantOptions()
        self.place: Place = locate(client)
        self._gate = gate(client)
        self._given = given_layout(self.options)
        self._setup: Setup | None = None
        self._version: str | None = None
        self._filters = True
        self._steady: SteadyVectors | None = None

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``."""
        setup = self._setup = self._learn()
        node = setup.layout is not None and setup.layout.name == "llamaindex"
        return CorpusDescription(
            backend="qdrant",
            container=self.collection,
            identity=f"{self.place.identity}#{self.collection}",
            size=self._call(self.client.count, self.collection, exact=True).count,
            dimension=setup.dense.size if setup.dense else None,
            metric=setup.dense.distance.lower() if setup.dense else None,
            embedder=self.embedder.name if self.embedder else None,
            shape=setup.shape,
            capabilities=Capabilities(
                scan=True, vectors=True, search=True, exact=self.place.local, volatile=self.place.volatile
            ),
            versions=self._versions(),
            max_batch=setup.limits.batch,
            max_batch_bytes=MAX_REQUEST_BYTES // (NODE_OVERHEAD if node else 1),
        )

    @property
    def setup(self) -> Setup:
        """What was learned of the collection, when it was last described."""
        if self._setup is None:
            self._setup = self._learn()
        return self._setup

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``.

        Raises:
            StoreError: a write failed or was not confirmed; what landed is found by reading back.
        """
        if not plants:
            return
        points = make_points(plants, self.setup, self.embedder)
        found = self.read([p.id for p in plants])
        refuse_foreign(found, plants[0].campaign)
        self._write([p for p in points if str(p.id) not in found], insert_only=self.insert_only)
        self._write([p for p in points if str(p.id) in found], insert_only=False)

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``; reads first, and deletes by id those that hold plants.

        Absent ids are deleted too: a write that a server queued, and answered with "acknowledged" or not at all, is seen
        by no read before it is applied, and a removal queued behind it takes it out.
        """
        for chunk in chunks(_known(ids), self.setup.limits.page):
            found = {p.id: p for p in self._retrieve(chunk, payload=True, vectors=False)}
            planted = [id_ for id_, p in found.items() if read_stamp(stamps_in(p.payload)) is not None]
            if planted:
                self._delete(planted)
            if absent := [id_ for id_ in chunk if id_ not in found]:
                with suppress(StoreError, RefusedError):  # a cluster may call a missing point an error
                    self._delete(absent)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``; without vectors. Ids that no Qdrant point can bear are absent."""
        return self._read(ids, vectors=False)

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``VectorReader.read_vectors``."""
        return self._read(ids, vectors=True)

    def fetch(self, ids: Sequence[str], *, vectors: bool) -> list[Any]:
        """The points under some ids as the client gives them, with payload."""
        pages = chunks(_known(ids), self.setup.limits.page)
        return [point for page in pages for point in self._retrieve(page, payload=True, vectors=vectors)]

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``; the cursor is an id, so points that come and go make it miss no other."""
        # a local client sorts all its ids for every page, and has the payloads in memory whatever the page
        size = IDS_PAGE if self.place.local and not vectors else min(batch, self.setup.limits.page)
        for page in self._scroll(size, payload=True, vectors=vectors):
            for part in chunks(page, batch):
                yield [self._record(point) for point in part]

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        deepest = self.setup.limits.deepest or IDS_PAGE
        pages = self._scroll(min(IDS_PAGE, deepest), payload=False, vectors=False)
        return [str(point.id) for page in pages for point in page]

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``; where the server refuses the filter, every point's stamp is read instead."""
        from qdrant_client.models import FieldCondition, Filter, MatchValue

        if self._filters:
            places = stamp_places(self.setup.objects)
            marked = Filter(should=[FieldCondition(key=key, match=MatchValue(value=KIT_VALUE)) for key in places])
            try:
                return self._plants_in(self._scroll(self.setup.limits.page, payload=True, vectors=False, only=marked))
            except RefusedError as error:
                log.warning("%s; to find plants, every point of '%s' is read instead", error, self.collection)
                self._filters = False
        return self._plants_in(self._stamped())

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``; texts are not fetched, and of the payload only the kit's keys."""
        return replies(
            lambda requests: self._call(self.client.query_batch_points, self.collection, requests=requests),
            self.setup,
            self.embedder,
            list(queries),
            k,
            only=self.options.query_filter,
            payload=self._stamps_only(),
        )

    def query_vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See ``VectorWriter.query_vectors``."""
        return list(needed(self.embedder).queries(texts))

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """See ``ExactScorer.exact_scores``; for a dense search, from the embedder's vectors by the collection's distance."""
        return exact_scores(self.setup, self.embedder, queries, plants)

    @property
    def insert_only(self) -> bool:
        """Whether client and server can write absent ids only; without, ids are read before each write."""
        if "update_mode" not in inspect.signature(self.client.upsert).parameters:
            return False
        return self.place.local or _at_least(self._server_version(), INSERT_ONLY_SINCE)

    def _write(self, points: Sequence[Any], *, insert_only: bool) -> None:
        from qdrant_client import models

        mode = {"update_mode": models.UpdateMode.INSERT_ONLY} if insert_only else {}
        for batch in by_size(points, self.setup.limits.batch):
            done = self._call(
                self.client.upsert,
                self.collection,
                points=batch,
                wait=True,
                ordering=models.WriteOrdering.STRONG,
                shard_key_selector=self.options.shard,
                **mode,
            )
            require_completed(done, "a write")

    def _delete(self, ids: list[Any]) -> None:
        from qdrant_client import models

        done = self._call(
            self.client.delete,
            self.collection,
            points_selector=models.PointIdsList(points=ids),
            wait=True,
            ordering=models.WriteOrdering.STRONG,
            shard_key_selector=self.options.shard,
        )
        require_completed(done, "a removal")

    def _learn(self) -> Setup:
        info = self._call(self.client.get_collection, self.collection)
        return learn_setup(info, self._call(sample, self.client, self.collection, info), self.options)

    def _call(self, function: Callable[..., T], *args: Any, **kwargs: Any) -> T:
        with self._gate:
            return call(function, *args, **kwargs)

    def _retrieve(self, ids: Sequence[Any], *, payload: Any, vectors: bool) -> list[Any]:
        found: list[Any] = self._call(
            self.client.retrieve, self.collection, ids=list(ids), with_payload=payload, with_vectors=vectors
        )
        return found

    def _scroll(self, size: int, *, payload: Any, vectors: bool, only: Any = None) -> Iterator[list[Any]]:
        cursor = None
        while True:
            page, cursor = self._call(
                self.client.scroll,
                self.collection,
                scroll_filter=only,
                limit=size,
                offset=cursor,
                with_payload=payload,
                with_vectors=vectors,
            )
            if page:
                yield page
            if cursor is None:
                return

    def _read(self, ids: Sequence[str], *, vectors: bool) -> dict[str, Record]:
        asked = {str(point): id_ for id_ in ids if (point := point_id(id_)) is not None}
        found = self.fetch(ids, vectors=vectors)
        return {asked[str(p.id)]: self._record(p) for p in found if str(p.id) in asked}

    def _record(self, point: Any) -> Record:
        if self._steady is None and self.place.local:
            self._steady = SteadyVectors(self.setup.vectors)
        return to_record(point, self._given, self._steady)

    def _plants_in(self, pages: Iterator[Sequence[Any]]) -> list[Record]:
        records = [self._record(point) for page in pages for point in page]
        return [record for record in records if read_stamp(record.metadata) is not None]

    def _stamped(self) -> Iterator[list[Any]]:
        """Points with a stamp, found by looking at each."""
        for page in self._scroll(self.setup.limits.page, payload=self._stamps_only(), vectors=False):
            ids = [p.id for p in page if read_stamp(stamps_in(p.payload)) is not None]
            if ids:
                yield self._retrieve(ids, payload=True, vectors=False)

    def _stamps_only(self) -> list[str] | bool:
        return stamp_selector(self.setup.objects)

    def _server_version(self) -> str:
        if self._version is None:
            try:
                self._version = str(self.client.info().version)
            except Exception:  # a proxy or a key that hides it; the safe assumption is an old server
                self._version = ""
        return self._version

    def _versions(self) -> dict[str, str]:
        from importlib.metadata import version

        server = {} if self.place.local or not self._server_version() else {"qdrant server": self._server_version()}
        return {"qdrant-client": version("qdrant-client"), **server}


def _known(ids: Sequence[str]) -> list[Any]:
    """The ids that a point can bear, each once."""
    return list(dict.fromkeys(point for id_ in ids if (point := point_id(id_)) is not None))


def _at_least(version: str, least: tuple[int, int]) -> bool:
    parts = version.removeprefix("v").split(".")
    return len(parts) > 1 and all(p.isdecimal() for p in parts[:2]) and (int(parts[0]), int(parts[1])) >= least
