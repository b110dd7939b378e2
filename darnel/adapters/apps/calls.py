"""Recognise the tools that a model asked for in whatever an application returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from darnel.adapters.apps.output import as_mapping
from darnel.core.corpus import ToolCall

CALL_KEYS = ("tool_calls", "invalid_tool_calls")
"""The second holds, with LangChain, calls whose arguments the model wrote as no JSON: it asked for the tool all the same."""
ARGUMENT_KEYS = ("args", "arguments", "tool_kwargs")


def as_calls(output: Any) -> tuple[ToolCall, ...] | None:
    """The calls under their usual name, in the output or in any of its ``messages``; None where none can be seen at all.

    An empty list of calls is one that was seen. One with a call of unknown form was not: what it asks for cannot be told.
    """
    if isinstance(output, str | list | tuple):
        return None
    fields = as_mapping(output)
    messages = fields.get("messages")
    parts = [fields, *map(as_mapping, messages)] if isinstance(messages, list) else [fields]
    found = [part[key] for part in parts for key in CALL_KEYS if isinstance(part.get(key), list | tuple)]
    calls = [_call(item) for items in found for item in items]
    return tuple(call for call in calls if call) if found and all(calls) else None


def _call(item: Any) -> ToolCall | None:
    """A call as LangChain has it (``name``, ``args``), LlamaIndex (``tool_name``, ``tool_kwargs``), or OpenAI's interface
    (``function`` with JSON text)."""
    if isinstance(item, ToolCall):
        return item
    fields = as_mapping(item)
    if (function := fields.get("function")) is not None:
        fields = as_mapping(function)
    name = fields.get("name", fields.get("tool_name"))
    given = next((fields[key] for key in ARGUMENT_KEYS if key in fields), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except json.JSONDecodeError:
            given = {"text": given}
    arguments = given if isinstance(given, Mapping) else {}
    return ToolCall(name, {str(key): value for key, value in arguments.items()}) if isinstance(name, str) else None
