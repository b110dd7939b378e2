"""A Parquet file, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from darnel.audit.batch import Row, arrow, pack
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.columns import as_columns
from darnel.audit.readers.fields import row_from
from darnel.core.errors import TargetError

if TYPE_CHECKING:
    import pyarrow as pa


class ParquetReader:
    """Rows of a Parquet file; columns are named as keys of JSONL are.

    Raises:
        TargetError: the file is no Parquet file.
    """

    kind = "parquet"

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        pa = arrow()
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(path) as file:
                self.total: int | None = file.metadata.num_rows
        except (pa.ArrowException, OSError) as error:
            raise TargetError(f"cannot read {path}: {str(error).splitlines()[0]}") from None

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """See ``Reader.batches``."""
        from pyarrow import parquet

        done = 0
        # by default a file that is read batch by batch is kept whole in memory as it is read
        with parquet.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=size):
                whole = as_columns(batch)
                if whole is not None:
                    yield whole
                else:
                    yield from pack(_rows(batch, done, log), size)
                done += batch.num_rows


def _rows(batch: pa.RecordBatch, done: int, log: ReadLog) -> Iterator[Row]:
    try:
        found = batch.to_pylist()
    except UnicodeDecodeError:  # one broken string spoils its batch: take the rows one by one
        found = [_one(batch, i) for i in range(batch.num_rows)]
    for number, mapping in enumerate(found, done + 1):
        where = f"row {number}"
        if mapping is None:
            log.fail(where, "a string in it is not UTF-8")
        elif (row := row_from(mapping, where, where, log)) is not None:
            yield row


def _one(batch: pa.RecordBatch, number: int) -> dict[str, object] | None:
    try:
        found: dict[str, object] = batch.slice(number, 1).to_pylist()[0]
    except UnicodeDecodeError:
        return None
    return found
