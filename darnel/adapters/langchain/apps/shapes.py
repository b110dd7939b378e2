"""The forms in which applications take a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

QUESTION_KEYS = ("question", "input", "query", "user_input", "user_query", "prompt", "text")
Shape = Callable[[str], Any]
"""From a question to the application's input."""


def guess_shapes(app: Any) -> list[Shape]:
    """The forms that are worth a try, likeliest first.

    What a legacy chain names as its input, or a runnable in its schema, comes first; a function takes the question itself.
    """
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import Runnable

    if not isinstance(app, Runnable) or isinstance(app, BaseRetriever):
        return [_plain]
    known = _from_keys(app) or _from_schema(app)
    return [*([known] if known else []), _plain, *map(_under, ("input", "question", "query")), _messages]


def _from_keys(app: Any) -> Shape | None:
    """Of a legacy chain, which names its input keys; those that its memory fills are not asked for."""
    keys = getattr(app, "input_keys", None)
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    memory = getattr(app, "memory", None)
    return _choose([key for key in keys if key not in getattr(memory, "memory_variables", ())])


def _from_schema(app: Any) -> Shape | None:
    try:
        schema = app.get_input_jsonschema()
    except Exception:  # not every input can be described, as a graph's state by Python's own TypedDict before 3.12
        state = getattr(getattr(app, "builder", None), "input_schema", None)
        return _of_keys(list(getattr(state, "__annotations__", ())))
    if schema.get("type") == "string":
        return _plain
    if "$ref" in schema:
        schema = schema.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1], {})
    return _of_keys(list(schema.get("properties", {})))


def _of_keys(keys: list[str]) -> Shape | None:
    return _messages if "messages" in keys else _choose(keys)


def _choose(keys: list[str]) -> Shape | None:
    name = next((key for key in QUESTION_KEYS if key in keys), keys[0] if len(keys) == 1 else None)
    if name is None:
        return None
    rest: dict[str, Any] = {key: [] for key in keys if "history" in key and key != name}
    return lambda q: {**rest, name: q}


def _plain(question: str) -> Any:
    return question


def _under(key: str) -> Shape:
    return lambda q: {key: q}


def _messages(question: str) -> Any:
    from langchain_core.messages import HumanMessage

    return {"messages": [HumanMessage(question)]}
