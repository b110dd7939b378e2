"""A JSONL file: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO

from darnel.audit.batch import Row
from darnel.audit.readers.base import MOST_TEXT, PathReader, ReadLog
from darnel.audit.readers.fields import row_from

MOST_LINE = 16 * MOST_TEXT
"""Bytes of one line; a longer one is reported and passed over without being held."""


class JsonlReader(PathReader):
    """BEIR ``corpus.jsonl`` and the like; ids are the file's, or ``line N``."""

    kind = "jsonl"

    def _rows(self, log: ReadLog) -> Iterator[Row]:
        with self.path.open("rb") as file:
            for number, raw in _lines(file, log):
                line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
                if not line.strip():
                    continue
                row = _row(line, f"line {number}", log)
                if row is not None:
                    yield row


def _lines(file: IO[bytes], log: ReadLog) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := file.readline(MOST_LINE):
        number += 1
        if len(line) == MOST_LINE and not line.endswith(b"\n"):
            while (rest := file.readline(MOST_LINE)) and not rest.endswith(b"\n"):
                pass
            log.fail(f"line {number}", f"the line is longer than {MOST_LINE:,} bytes")
            continue
        yield number, line


def _row(line: bytes, where: str, log: ReadLog) -> Row | None:
    try:
        found = json.loads(line.decode("utf-8", "surrogateescape"))
    except RecursionError:
        log.fail(where, "nested too deep to be read")
        return None
    except ValueError as error:
        log.fail(where, f"not JSON ({str(error)[:80]})")
        return None
    if not isinstance(found, dict):
        log.fail(where, "not a JSON object")
        return None
    return row_from(found, where, where, log)
