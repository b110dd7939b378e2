"""Recognise the tools that a model asked for in whatever an application returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from darnel.adapters.apps.output import as_mapping
from darnel.core.corpus import ToolCall

CALL_KEYS = ("tool_calls", "calls")


def as_calls(output: Any) -> tuple[ToolCall, ...] | None:
    """The calls under their usual name, in the output or in any of its ``messages``; None where none can be seen at all.

    An empty list of calls is one that was seen.
    """
    if isinstance(output, str | list | tuple):
        return None
    fields = as_mapping(output)
    messages = fields.get("messages")
    parts = [fields, *map(as_mapping, messages)] if isinstance(messages, list) else [fields]
    found = [part[key] for part in parts for key in CALL_KEYS if isinstance(part.get(key), list | tuple)]
    return tuple(call for calls in found for item in calls if (call := _call(item))) if found else None


def _call(item: Any) -> ToolCall | None:
    """A call as LangChain has it (``name``, ``args``), or as OpenAI's interface has it (``function`` with JSON text)."""
    if isinstance(item, ToolCall):
        return item
    fields = as_mapping(item)
    if (function := fields.get("function")) is not None:
        fields = as_mapping(function)
    name = fields.get("name")
    given = fields.get("args", fields.get("arguments"))
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except json.JSONDecodeError:
            given = {"text": given}
    arguments = given if isinstance(given, Mapping) else {}
    return ToolCall(name, {str(key): value for key, value in arguments.items()}) if isinstance(name, str) else None
