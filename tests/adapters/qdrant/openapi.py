"""Check requests against Qdrant's own OpenAPI description.

The description is OpenAPI 3.0: ``nullable`` becomes a null type, and objects are closed, so that a field that Qdrant
does not know fails rather than passes.
"""

from __future__ import annotations

import json
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

HERE = Path(__file__).resolve()


def description_path() -> Path | None:
    """``qdrant-openapi/openapi.json`` under ``$DARNEL_DATA``, or under ``shared/data`` beside the checkout."""
    given = os.environ.get("DARNEL_DATA")
    places = [Path(given)] if given else [parent.parent / "shared" / "data" for parent in HERE.parents[3:5]]
    return next((p for place in places if (p := place / "qdrant-openapi" / "openapi.json").is_file()), None)


@cache
def description() -> dict[str, Any]:
    path = description_path()
    if path is None:
        pytest.skip(
            "Qdrant's OpenAPI description is not here; set $DARNEL_DATA to the folder that holds qdrant-openapi/"
        )
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


@cache
def _components() -> dict[str, Any]:
    converted: dict[str, Any] = _convert(description()["components"])
    return converted


def operation_of(method: str, path: str) -> tuple[str, dict[str, Any]]:
    """The path template and operation for a request. Raises AssertionError where the description has none."""
    for template, operations in description()["paths"].items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path) and method.lower() in operations:
            return template, operations[method.lower()]
    raise AssertionError(f"Qdrant's description knows no {method} {path}")


def check(method: str, path: str, query: dict[str, str], body: Any) -> None:
    """Fail unless the request is one that the description allows: path, method, query parameters and body."""
    _template, operation = operation_of(method, path)
    declared = {p["name"]: p["schema"] for p in operation.get("parameters", []) if p["in"] == "query"}
    for name, text in query.items():
        assert name in declared, f"{method} {path} has no query parameter {name}"
        _validate(_typed(text), declared[name])
    if body is None:
        assert not operation.get("requestBody", {}).get("required", False)
    else:
        _validate(body, operation["requestBody"]["content"]["application/json"]["schema"])


def _validate(value: Any, schema: Any) -> None:
    whole = {**_convert(schema), "components": _components()}
    jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker(["uuid"])).validate(value)


def _typed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _convert(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_convert(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {
        key: _convert(value) for key, value in schema.items() if key not in ("nullable", "example", "discriminator")
    }
    if "properties" in made and made.get("type") == "object" and "additionalProperties" not in made:
        made["additionalProperties"] = False
    if schema.get("nullable") is True:
        if set(schema) == {"nullable"}:
            return {"type": "null"}
        return {"anyOf": [made, {"type": "null"}]}
    return made
