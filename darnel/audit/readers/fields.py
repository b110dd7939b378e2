"""From a row of a file to a record: which key is the id, the text, the vector, and what is left as metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from darnel.audit.batch import Row
from darnel.audit.readers.base import MOST_TEXT, ReadLog

ID_KEYS = ("_id", "id", "record_id", "doc_id", "document_id", "uuid", "chunk_id")
TEXT_KEYS = ("text", "document", "content", "page_content", "body", "contents", "chunk", "passage", "prompt")
VECTOR_KEYS = ("vector", "embedding", "embeddings", "values")
NESTED_KEYS = ("metadata", "payload")
_BROKEN = re.compile("[\ud800-\udfff]")


def row_from(mapping: Mapping[str, Any], where: str, default_id: str, log: ReadLog) -> Row | None:
    """A record, or None (logged) where the row has no text."""
    folded = {str(key).strip().casefold(): key for key in mapping}
    text_key = _first(folded, TEXT_KEYS, mapping)
    if text_key is None:
        log.fail(where, f"no text; expected one of the keys {', '.join(TEXT_KEYS)}")
        return None
    id_key = _first(folded, ID_KEYS, mapping)
    record = default_id if id_key is None else str(mapping[id_key])
    vector_key = next((folded[k] for k in VECTOR_KEYS if isinstance(mapping.get(folded.get(k, "")), list)), None)
    vector = None if vector_key is None else as_vector(mapping[vector_key])
    left = {key: value for key, value in mapping.items() if key not in (text_key, id_key, vector_key)}
    return clean(record, str(mapping[text_key]), metadata_from(left), vector, log, where)


def metadata_from(left: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of a row: what is neither id nor text nor vector, without what is empty; a nested object's own keys."""
    metadata: dict[str, Any] = {}
    for key, value in left.items():
        if value is None or value == "":
            continue
        if str(key).casefold() in NESTED_KEYS and isinstance(value, Mapping):
            metadata.update({str(k): v for k, v in value.items()})
        else:
            metadata[str(key)] = value
    return metadata


def clean(
    record: str, text: str, metadata: Mapping[str, Any], vector: list[float] | None, log: ReadLog, where: str
) -> Row:
    """A row that every detector can look at: lone surrogates and bytes that are no text replaced, an enormous text cut."""
    if not text.isascii() and _BROKEN.search(text):
        text = _BROKEN.sub("\ufffd", text)
        log.repair(where, "bytes or surrogates that are no text were replaced by U+FFFD")
    if len(text) > MOST_TEXT:
        log.repair(where, f"only the first {MOST_TEXT:,} of {len(text):,} characters were looked at")
        text = text[:MOST_TEXT]
    return Row(record, text, metadata, vector)


def as_vector(value: Any) -> list[float] | None:
    """A list of numbers as floats; None for anything else."""
    try:
        return [float(x) for x in value]
    except (TypeError, ValueError):
        return None


def _first(folded: Mapping[str, str], wanted: tuple[str, ...], mapping: Mapping[str, Any]) -> str | None:
    for name in wanted:
        key = folded.get(name)
        if key is not None and isinstance(mapping[key], str | int):
            return key
    return None
