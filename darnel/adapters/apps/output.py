"""Recognise the answer and the sources in whatever an application returns, by the names that frameworks give them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from darnel.core.corpus import Source

ANSWER_KEYS = ("answer", "result", "output", "response", "output_text", "generation", "text", "content")
SOURCE_KEYS = (
    "source_documents",
    "source_nodes",
    "sources",
    "context",
    "documents",
    "docs",
    "contexts",
    "retrieved",
    "nodes",
)
TEXT_KEYS = ("page_content", "text", "content", "document", "body", "chunk")
TEXT_FIELDS = ("content", "text", "answer", "response")
DEEPEST_TEXT = 4
"""An answer in a message in a list in an object; deeper, somebody's object holds itself."""
ID_KEYS = ("id", "_id", "node_id", "doc_id", "id_", "source_id")
SCORE_KEYS = ("score", "similarity")


def read_output(output: Any) -> tuple[str | None, tuple[Source, ...] | None]:
    """The answer and the sources; None for what is not there.

    A string is an answer; a list is one of sources; a tuple is an answer and sources in either order; a mapping,
    dataclass or object has them under usual names, or in the last of its ``messages``.
    """
    if isinstance(output, str):
        return output, None
    if isinstance(output, list):
        return (None, None) if output and as_sources(output) is None else (None, as_sources(output))
    if isinstance(output, tuple) and not hasattr(output, "_fields"):
        parts = [read_output(part) for part in output]
        return _first(answer for answer, _ in parts), _first(sources for _, sources in parts)
    fields = as_mapping(output)
    answer = _first(as_text(fields[key]) for key in ANSWER_KEYS if key in fields)
    sources = _first(as_sources(fields[key]) for key in SOURCE_KEYS if key in fields)
    messages = fields.get("messages")
    if answer is None and isinstance(messages, list) and messages:
        answer = as_text(messages[-1])
    return answer, sources


def as_mapping(value: Any) -> Mapping[str, Any]:
    """The fields of a mapping, named tuple, dataclass or plain object."""
    if isinstance(value, Mapping):
        return value
    if hasattr(value, "_asdict"):
        return dict(value._asdict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    return vars(value) if hasattr(value, "__dict__") else {}


def as_text(value: Any, deep: int = DEEPEST_TEXT) -> str | None:
    """A string, or a message's content with its parts joined."""
    if isinstance(value, str):
        return value
    if value is None or not deep:
        return None
    if isinstance(value, list):
        parts = [as_text(part, deep - 1) for part in value]
        return "\n".join(part for part in parts if part) or None
    fields = as_mapping(value)
    return next((text for key in TEXT_FIELDS if (text := as_text(fields.get(key), deep - 1))), None)


def as_sources(value: Any) -> tuple[Source, ...] | None:
    """Sources from a list of them, or from one joined string; None where it is neither."""
    if isinstance(value, str):
        return (Source(text=value),)
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        return None
    found = [as_source(item) for item in value]
    return None if any(source is None for source in found) else tuple(s for s in found if s is not None)


def as_source(item: Any) -> Source | None:
    """One source: darnel's own, a string, a document or node of a framework, or a mapping with a text or an id."""
    if isinstance(item, Source):
        return item
    if isinstance(item, str):
        return Source(text=item)
    score = None
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], int | float):
        item, score = item  # a document with its score
    if (node := getattr(item, "node", None)) is not None:  # LlamaIndex's NodeWithScore
        item, score = node, getattr(item, "score", None)
    if hasattr(item, "get_content"):
        return Source(item.node_id, str(item.get_content()), dict(item.metadata or {}), score)
    fields = as_mapping(item)
    text = _first(fields[key] for key in TEXT_KEYS if isinstance(fields.get(key), str))
    id_ = _first(str(fields[key]) for key in ID_KEYS if isinstance(fields.get(key), str | int))
    if text is None and id_ is None:
        return None
    metadata = fields.get("metadata")
    score = (
        score if score is not None else _first(fields[k] for k in SCORE_KEYS if isinstance(fields.get(k), int | float))
    )
    return Source(id_, text, dict(metadata) if isinstance(metadata, Mapping) else _rest(fields), score)


def _rest(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    return {k: v for k, v in fields.items() if k not in TEXT_KEYS} or None


def _first(values: Iterable[Any]) -> Any:
    return next((value for value in values if value is not None), None)
