"""Records that are already here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from darnel.audit.batch import pack
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.fields import as_vector, clean
from darnel.core.corpus import Record

if TYPE_CHECKING:
    import pyarrow as pa


class ListReader:
    """A reader over records in memory."""

    kind = "list"

    def __init__(self, records: Sequence[Record], name: str = "list") -> None:
        self._records, self.name = records, name
        self.total: int | None = len(records)

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """See ``Reader.batches``."""
        rows = (
            clean(r.id, r.text or "", r.metadata or {}, None if r.vector is None else as_vector(r.vector), log, r.id)
            for r in self._records
        )
        return pack(rows, size)
