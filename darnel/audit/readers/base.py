"""What a reader is, and its log: nothing is skipped without being counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from darnel.audit.batch import Row, pack
from darnel.audit.results import Problem

if TYPE_CHECKING:
    import pyarrow as pa

MOST_TEXT = 4_194_304
"""Characters of one record that are looked at; what is longer is cut there, and that is reported."""
MOST_PROBLEMS = 100
"""Problems of one kind that are kept with their place; all are counted."""


@dataclass(slots=True)
class ReadLog:
    """What one pass over a source met. ``read`` is counted by whoever consumes the batches."""

    read: int = 0
    skipped: int = 0
    unreadable: int = 0
    repaired: int = 0
    problems: list[Problem] = field(default_factory=list)
    _kept: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All four counts."""
        return self.read, self.skipped, self.unreadable, self.repaired

    def skip(self, where: str, why: str) -> None:
        """Something that is no record of this corpus, such as an image in a folder of pages."""
        self.skipped += 1
        self._keep("skipped", where, why)

    def fail(self, where: str, why: str) -> None:
        """A record that could not be read, and so was not looked at."""
        self.unreadable += 1
        self._keep("unreadable", where, why)

    def repair(self, where: str, what: str) -> None:
        """A record that is looked at with something replaced or cut."""
        self.repaired += 1
        self._keep("repaired", where, what)

    def _keep(self, kind: str, where: str, what: str) -> None:
        if self._kept[kind] < MOST_PROBLEMS:
            self._kept[kind] += 1
            self.problems.append(Problem(kind, where[:1_000].encode("utf-8", "replace").decode(), what))


class Reader(Protocol):
    """One source of records that can be read any number of times."""

    name: str
    kind: str
    total: int | None
    """How many records there will be, where that is known."""

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """Every record once, in batches of up to ``size`` (see ``darnel.audit.batch.schema``); what is not read is logged."""
        ...


class PathReader:
    """A reader of a file or folder, made of rows that come one by one."""

    kind = ""
    total: int | None = None

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """See ``Reader.batches``."""
        return pack(self._rows(log), size)

    def _rows(self, log: ReadLog) -> Iterator[Row]:
        raise NotImplementedError  # each kind of file has its own
