"""Records as Arrow record batches, and the view of one that detectors look at."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from darnel.audit.prose import HINTS, prose_of
from darnel.core.errors import TargetError
from darnel.core.text import stop_words, words

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from darnel.audit.tokens import Numbers, Tokens

NEEDS = ("confusable_homoglyphs", "pyarrow", "regex", "selectolax")
INSTALL = "pip install 'darnel[audit]'"
MOST_BYTES = 32_000_000
"""Text and metadata of one batch; a batch is closed once it holds more."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_installed() -> None:
    """See that every package of the extra is there, without loading any.

    Raises:
        TargetError: one is missing; says how to install it.
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        raise TargetError(f"an audit needs the packages {', '.join(missing)}; run: {INSTALL}")


def arrow() -> Any:
    """pyarrow, loaded when first needed."""
    import pyarrow

    return pyarrow


@dataclass(frozen=True, slots=True)
class Row:
    """One record on its way into a batch. ``vector``: floats, or None where there is none."""

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    vector: Sequence[float] | None = None


def schema() -> pa.Schema:
    """Columns ``id``, ``text``, ``metadata`` (a JSON object as text) and ``vector`` (float32 list, or null)."""
    library = arrow()
    text, vector = library.string(), library.list_(library.float32())
    found: pa.Schema = library.schema([("id", text), ("text", text), ("metadata", text), ("vector", vector)])
    return found


def encodable(text: str) -> str:
    """The text with U+FFFD in the place of each lone surrogate, which no Arrow string can hold."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def encoded(metadata: Mapping[str, Any]) -> str:
    """Metadata as a batch holds them. Values that JSON does not know become their text."""
    return json.dumps(metadata, default=str) if metadata else ""


def to_arrow(rows: Sequence[Row]) -> pa.RecordBatch:
    """One record batch."""
    columns = [
        [encodable(row.id) for row in rows],
        [encodable(row.text) for row in rows],
        [encoded(row.metadata) for row in rows],
        [row.vector for row in rows],
    ]
    library, kinds = arrow(), schema()
    arrays = [library.array(column, type=kinds.field(i).type) for i, column in enumerate(columns)]
    made: pa.RecordBatch = library.record_batch(arrays, schema=kinds)
    return made


def record_hash(record: str, text: str, metadata: str) -> int:
    """64 bits of a record as it stands in a batch: its id, its text and its metadata, not its vector."""
    held = json.dumps([record, text, metadata]).encode()
    return int.from_bytes(hashlib.blake2b(held, digest_size=8).digest(), "little")


def pack(rows: Iterable[Row], size: int) -> Iterator[pa.RecordBatch]:
    """Rows in order, in batches of up to ``size`` records and about ``MOST_BYTES``."""
    kept: list[Row] = []
    held = 0
    for row in rows:
        kept.append(row)
        held += len(row.text) + 4 * len(row.vector if row.vector is not None else ())
        if len(kept) >= size or held > MOST_BYTES:
            yield to_arrow(kept)
            kept, held = [], 0
    if kept:
        yield to_arrow(kept)


class Entry:
    """One record of a batch; what several detectors want of it is worked out once."""

    def __init__(
        self,
        id: str,  # noqa: A002  # the column's name
        text: str,
        metadata: str,
        vector: Any,
        source: str = "",
        *,
        plain: bool = False,
    ) -> None:
        """``plain``: whether the text is known to be prose throughout."""
        self.id, self.text, self.vector, self.source = id, text, vector, source
        self._metadata, self._plain = metadata, plain

    @cached_property
    def hash(self) -> int:
        """See ``record_hash``."""
        return record_hash(self.id, self.text, self._metadata)

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """The metadata, as parsed."""
        try:
            found = json.loads(self._metadata) if self._metadata else {}
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @cached_property
    def prose(self) -> str:
        """The text with code and table rows blanked, every other character at its place."""
        return self.text if self._plain else prose_of(self.text)

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, which may be longer."""
        return self.text.lower()

    @cached_property
    def words(self) -> list[str]:
        """Lower-case words of the prose."""
        return self.all_words if self.prose is self.text else words(self.prose)

    @cached_property
    def all_words(self) -> list[str]:
        """Lower-case words of the text."""
        return words(self.text)

    @cached_property
    def terms(self) -> list[str]:
        """``words`` without stop words."""
        stop = stop_words()
        return [word for word in self.words if word not in stop]

    @cached_property
    def fields(self) -> list[tuple[str, str]]:
        """Metadata keys with their text; a list of texts is joined by spaces."""
        if not self._metadata:
            return []
        found = []
        for key, value in self.metadata.items():
            if isinstance(value, str):
                found.append((key, value))
            elif isinstance(value, list) and value and all(isinstance(item, str) for item in value):
                found.append((key, " ".join(value)))
        return found


class Batch:
    """A record batch with its entries; ``arrow`` is there for detectors that work on whole columns.

    ``source``: the file or target that it came from.
    """

    def __init__(self, arrow: pa.RecordBatch, source: str = "") -> None:
        self.arrow, self.source = arrow, source

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    def matching(self, column: str, pattern: str) -> Sequence[bool]:
        """Which records have a match for an RE2 pattern in a column, whatever the case; linear in the text."""
        from pyarrow import compute

        found = compute.match_substring_regex(self.arrow.column(column), pattern, ignore_case=True)
        marks: list[bool] = found.to_pylist()
        return marks

    @cached_property
    def tokens(self) -> Tokens:
        """The words of each record's prose."""
        from darnel.audit.tokens import Tokens

        return Tokens.of([entry.prose for entry in self.entries])

    @cached_property
    def all_tokens(self) -> Tokens:
        """The words of each record's text."""
        from darnel.audit.tokens import Tokens

        if all(entry.prose is entry.text for entry in self.entries):
            return self.tokens
        return Tokens.of([entry.text for entry in self.entries])

    @cached_property
    def shingles(self) -> Numbers:
        """The distinct word triples of each record's beginning; see ``Tokens.distinct``."""
        from darnel.audit.tokens import MOST_WORDS

        return self.tokens.first(MOST_WORDS).distinct

    @cached_property
    def digests(self) -> Numbers:
        """64 bits of each text, the same in every process; worked out from Arrow's bytes, without making texts of them."""
        import numpy as np

        column = self.arrow.column("text")
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1].tolist()
        held = memoryview(data or b"")
        found = [hashlib.blake2b(held[a:b], digest_size=8).digest() for a, b in pairwise(ends)]
        return np.frombuffer(b"".join(found), np.uint64)

    def picked(self, numbers: NDArray[np.int64]) -> Batch:
        """Some of its records, where few are wanted."""
        return Batch(self.arrow.take(arrow().array(numbers)), self.source)

    @cached_property
    def entries(self) -> list[Entry]:
        """Its records, in order."""
        columns = [self.arrow.column(name).to_pylist() for name in ("id", "text", "metadata")]
        vectors = self.arrow.column("vector")
        stored = [None] * len(self) if vectors.null_count == len(self) else list(vectors)
        parted = self.matching("text", HINTS)
        return [
            Entry(i, t, m, None if v is None or not v.is_valid else v.values.to_numpy(), self.source, plain=not p)
            for i, t, m, v, p in zip(*columns, stored, parted, strict=True)
        ]
