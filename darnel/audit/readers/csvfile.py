"""A CSV or TSV file with a header."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from darnel.audit.batch import Row
from darnel.audit.readers.base import MOST_TEXT, PathReader, ReadLog
from darnel.audit.readers.fields import row_from


class CsvReader(PathReader):
    """Rows under a header that names a text column; ids are the file's, or ``row N``."""

    kind = "csv"

    def _rows(self, log: ReadLog) -> Iterator[Row]:
        limit = csv.field_size_limit(16 * MOST_TEXT)
        try:
            with self.path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
                rows = csv.reader(file, delimiter="\t" if self.path.suffix.lower() == ".tsv" else ",")
                header = next(rows, [])
                yield from self._read(rows, header, log)
        except csv.Error as error:
            log.fail("header", f"not CSV ({error})")
        finally:
            csv.field_size_limit(limit)

    def _read(self, rows: Iterator[list[str]], header: list[str], log: ReadLog) -> Iterator[Row]:
        number = 0
        while True:
            number += 1
            where = f"row {number}"
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                log.fail(where, f"not CSV ({error})")
                continue
            if not cells:
                continue
            if len(cells) != len(header):
                log.fail(where, f"{len(cells)} cells under {len(header)} headings")
                continue
            row = row_from(dict(zip(header, cells, strict=True)), where, where, log)
            if row is not None:
                yield row
