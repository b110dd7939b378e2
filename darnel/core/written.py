"""A result as a JSON document: one way for all of them, whatever text somebody else's code put into it."""

from __future__ import annotations

from typing import Any

import msgspec


def as_json(document: Any) -> bytes:
    """Indented UTF-8 JSON, keys in their own order, one line end after it. A lone surrogate becomes its escape, as text."""
    try:
        encoded = msgspec.json.encode(document)
    except UnicodeEncodeError:  # an application may say anything, and no file can hold it
        encoded = msgspec.json.encode(as_builtins(document))
    return msgspec.json.format(encoded, indent=2) + b"\n"


def as_builtins(document: Any) -> Any:
    """Dictionaries, lists, strings and numbers; a lone surrogate becomes its escape, as text."""
    return _encodable(msgspec.to_builtins(document))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value
