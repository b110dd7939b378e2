"""Any corpus that an adapter can read whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Row, pack
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.fields import as_vector, clean
from darnel.core.corpus import CorpusReader, Record

if TYPE_CHECKING:
    import pyarrow as pa


class StoreReader:
    """The records of a live store, in the store's own batches. ``vectors``: whether detectors want them."""

    kind = "store"

    def __init__(self, reader: CorpusReader, name: str, *, total: int | None = None, vectors: bool = False) -> None:
        self._reader, self.name, self.total, self._vectors = reader, name, total, vectors

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """See ``Reader.batches``."""
        return pack(self._rows(size, log), size)

    def _rows(self, size: int, log: ReadLog) -> Iterator[Row]:
        for batch in self._reader.scan(size, vectors=self._vectors):
            for record in batch:
                yield self._row(record, log)

    def _row(self, record: Record, log: ReadLog) -> Row:
        vector = _dense(record.vector) if self._vectors else None
        return clean(record.id, record.text or "", record.metadata or {}, vector, log, record.id)


def _dense(vector: Any) -> list[float] | None:
    """The record's dense vector; None where it has none, or several under names."""
    if isinstance(vector, Mapping):
        dense = [v for v in vector.values() if isinstance(v, Sequence) or hasattr(v, "shape")]
        vector = dense[0] if len(dense) == 1 else None
    return None if vector is None else as_vector(vector)
