"""ChromaVectorStore: everything is in the collection, which the Chroma adapter reads and deletes from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from darnel.adapters.chroma.corpus import DELETE_CHUNK, ChromaCorpus, pair_scores
from darnel.adapters.llamaindex.nodes import StoredNode, read_flat
from darnel.adapters.llamaindex.stores.base import Place
from darnel.core.corpus import Record
from darnel.core.errors import ContainerMissingError, PlantError
from darnel.core.planting.batches import chunks

WINDOWS = 8
"""What was added together is often of one tenant or source, so a sample is taken from all over the collection."""
FLAT_TYPES = (str, int, float, type(None))


class ChromaStore:
    """Reads and deletes through the collection that the store holds."""

    honours_node_ids = False  # its query passes over them
    honours_doc_ids = False

    def __init__(self, store: Any) -> None:
        self._collection = store._collection
        self._corpus = ChromaCorpus(self._collection)

    @property
    def folder(self) -> str:
        """See ``NativeStore.folder``."""
        settings = self._collection._client._system.settings
        return str(Path(settings.persist_directory).resolve()) if settings.is_persistent else ""

    @property
    def host(self) -> str:
        """See ``NativeStore.host``."""
        return str(self._collection._client._system.settings.chroma_server_host or "")

    def place(self) -> Place:
        """See ``NativeStore.place``."""
        self.refuse_unwritable()
        where = self._corpus.describe()
        return Place(
            container=f"ChromaVectorStore/{where.container}",
            identity=where.identity,
            size=where.size,
            dimension=where.dimension,
            metric=where.metric,
            max_batch=min(where.max_batch, 1_000),
            max_batch_bytes=where.max_batch_bytes // 2,  # the node's JSON is written beside its metadata
            volatile=not self.folder and not self.host,
            versions=where.versions,
        )

    def refuse_unwritable(self) -> None:
        """See ``NativeStore.refuse_unwritable``."""
        try:
            self._collection.count()
        except Exception as error:
            if type(error).__name__ == "NotFoundError":
                raise ContainerMissingError(
                    f"the Chroma collection '{self._collection.name}' is gone; make the index again"
                ) from None
            raise

    def refuse(self, nodes: Sequence[Any]) -> None:
        """See ``NativeStore.refuse``; LlamaIndex gives Chroma flat metadata only, and would raise in mid-write."""
        for node in nodes:
            for key, value in node.metadata.items():
                if not isinstance(value, FLAT_TYPES):
                    raise PlantError(
                        f"metadata '{key}' is a {type(value).__name__}, and LlamaIndex writes only text, numbers and "
                        "booleans to Chroma; leave it out"
                    )

    def ids(self) -> list[str]:
        """See ``NativeStore.ids``."""
        return list(self._corpus.ids())

    def sample(self, count: int) -> list[StoredNode]:
        """See ``NativeStore.sample``."""
        size, found = self._collection.count(), dict[str, StoredNode]()
        window = max(1, count // WINDOWS)
        for offset in sorted({size * i // WINDOWS for i in range(WINDOWS)}):
            page = self._collection.get(limit=window, offset=offset, include=["documents", "metadatas"])
            rows = zip(page["ids"], page["documents"], page["metadatas"], strict=True)
            found.update((row[0], _node(Record(*row))) for row in rows)
        return list(found.values())

    def fetch(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredNode]:
        """See ``NativeStore.fetch``."""
        found = self._corpus.read_vectors(ids) if vectors else self._corpus.read(ids)
        return {id_: _node(record) for id_, record in found.items()}

    def plants(self) -> set[str]:
        """See ``NativeStore.plants``."""
        return {record.id for record in self._corpus.plants()}

    def delete(self, ids: Sequence[str]) -> None:
        """See ``NativeStore.delete``; the Chroma adapter's own removal would read all of them once more."""
        for chunk in chunks(list(dict.fromkeys(ids)), DELETE_CHUNK):
            self._collection.delete(ids=list(chunk))

    def score(self, similarity: float | None) -> float | None:
        """See ``NativeStore.score``: LlamaIndex gives exp(-distance), under which great distances all become 0."""
        return math.log(similarity) if similarity else None

    def exact_scores(self, asked: Any, planted: Any) -> Sequence[float] | None:
        """See ``NativeStore.exact_scores``."""
        return pair_scores(self._corpus.describe().metric, asked, planted)

    def dense(self, vector: Any) -> Any:
        """See ``NativeStore.dense``; there is only one."""
        return vector


def _node(record: Record) -> StoredNode:
    return read_flat(record.id, record.metadata or {}, record.text or "", record.vector)
