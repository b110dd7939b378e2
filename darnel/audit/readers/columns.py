"""Whole columns of a table at once, where every row has what ``row_from`` would find in the same columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import MOST_BYTES, arrow, encoded, schema
from darnel.audit.readers.base import MOST_TEXT
from darnel.audit.readers.fields import ID_KEYS, TEXT_KEYS, VECTOR_KEYS, metadata_from

if TYPE_CHECKING:
    import pyarrow as pa


def as_columns(batch: pa.RecordBatch) -> pa.RecordBatch | None:
    """The batch that ``row_from`` and ``pack`` would make of a table's rows, texts and vectors untouched.

    None where a row may need a closer look: it lacks a text or an id, a string is no UTF-8 or very long, keys are in doubt.
    """
    library = arrow()
    folded = {name.strip().casefold(): name for name in batch.schema.names}
    text, record = (_whole(batch, folded, keys) for keys in (TEXT_KEYS, ID_KEYS))
    if len(folded) < len(batch.schema.names) or text is None or record is None or batch.nbytes > MOST_BYTES:
        return None
    try:
        batch.validate(full=True)
        vector = _vectors(batch, folded)
        others = batch.drop_columns([text, record, *([vector] if vector else [])])
        metadata = (
            [encoded(metadata_from(row)) for row in others.to_pylist()] if others.num_columns else [""] * len(batch)
        )
        given = [batch.column(record), batch.column(text), library.array(metadata, library.string())]
        given.append(batch.column(vector) if vector else library.nulls(len(batch)))
        columns = [column.cast(field.type) for column, field in zip(given, schema(), strict=True)]
    except (library.ArrowException, UnicodeDecodeError):
        return None
    longest = library.compute.max(library.compute.utf8_length(columns[1])).as_py()
    return None if (longest or 0) > MOST_TEXT else library.record_batch(columns, schema=schema())


def _whole(batch: pa.RecordBatch, folded: Mapping[str, str], keys: tuple[str, ...]) -> str | None:
    """The first of some columns that is there, if each of its values is a string or a whole number."""
    name = next((folded[key] for key in keys if key in folded), None)
    if name is None or batch.column(name).null_count:
        return None
    types, kind = arrow().types, batch.column(name).type
    return name if types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind) else None


def _vectors(batch: pa.RecordBatch, folded: Mapping[str, str]) -> str | None:
    """The column of vectors, or None where there is none.

    Raises:
        ArrowInvalid: it may hold something else.
    """
    name = next((folded[key] for key in VECTOR_KEYS if key in folded), None)
    if name is None:
        return None
    library, column = arrow(), batch.column(name)
    kind: Any = column.type
    listed = any(
        is_(kind) for is_ in (library.types.is_list, library.types.is_large_list, library.types.is_fixed_size_list)
    )
    if not listed or not library.types.is_floating(kind.value_type) or column.null_count or column.flatten().null_count:
        raise library.ArrowInvalid("no column of vectors")
    return name
