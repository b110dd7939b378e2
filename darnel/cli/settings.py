"""Settings files: ``darnel.toml``, or ``[tool.darnel]`` in ``pyproject.toml``, in the current folder."""

from __future__ import annotations

import json
import tomllib
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from darnel.cli.options import REPEATED, SETTINGS
from darnel.core.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from darnel.core.suppressions import Suppression

SUPPRESS = "suppress"
SUPPRESS_KEYS = {
    "condition": "condition = 'exposure@5 > 0.2'",
    "pattern": "pattern = 'echo'",
    "reason": "reason = 'reranker comes with the next release'",
    "until": "until = 2027-01-31",
}
"""Keys of one suppression, each as it may be written."""


def load_settings(folder: Path | None = None) -> dict[str, Any]:
    """Settings by parameter name, as click's ``default_map`` takes them; empty where there is no file or table.

    Raises:
        UsageError: a file is no TOML.
        UnknownNameError: a key is not known; offers the nearest.
    """
    settings = {}
    for key, value in _table(folder or Path()).items():
        if key == SUPPRESS:
            continue
        if key not in SETTINGS:
            raise UnknownNameError("setting", key, [*SETTINGS, SUPPRESS])
        settings[SETTINGS[key]] = _several(key, value) if key in REPEATED else _one(key, value)
    return settings


def load_suppressions(folder: Path | None = None) -> list[Suppression]:
    """What ``[[suppress]]`` (in ``pyproject.toml``: ``[[tool.darnel.suppress]]``) accepts, in its order.

    Raises:
        UsageError: an entry has no condition, reason or date, or one of another kind.
        UnknownNameError: a key is not known; offers the nearest.
    """
    given = _table(folder or Path()).get(SUPPRESS, [])
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise UsageError("the setting 'suppress' is a list of tables; write [[suppress]]")
    return [_suppression(entry, f"[[suppress]] number {number}") for number, entry in enumerate(given, 1)]


def _suppression(entry: dict[str, Any], where: str) -> Suppression:
    from darnel.core.suppressions import Suppression

    for key in entry:
        if key not in SUPPRESS_KEYS:
            raise UnknownNameError(f"key in {where}", key, SUPPRESS_KEYS)
    for key in ("condition", "reason"):
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise UsageError(f"{where}: give a {key}, such as {SUPPRESS_KEYS[key]}")
    until, pattern = entry.get("until"), entry.get("pattern")
    if isinstance(until, datetime) or not isinstance(until, date):
        raise UsageError(f"{where}: give the last day it holds, such as {SUPPRESS_KEYS['until']} (without quotes)")
    if pattern is not None and not isinstance(pattern, str):
        raise UsageError(f"{where}: give one pattern, such as {SUPPRESS_KEYS['pattern']}, or none for all")
    return Suppression(entry["condition"].strip(), " ".join(entry["reason"].split()), until, pattern)


def _table(folder: Path) -> dict[str, Any]:
    return _read(folder / "darnel.toml") or _own_table(folder / "pyproject.toml")


def _own_table(path: Path) -> dict[str, Any]:
    tool = _read(path).get("tool", {})
    table = tool.get("darnel", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UsageError(f"cannot read {path}: 'tool.darnel' is no table; write [tool.darnel]")
    return table


def _one(key: str, value: Any) -> str:
    """The value as text, to be read as strictly as one from the command line: ``k = 5.5`` is no 5."""
    if isinstance(value, list | dict):
        raise UsageError(f"the setting '{key}' takes one value")
    return str(value)


def _several(key: str, value: Any) -> list[str]:
    """The values of an option that may be given several times: one alone is a list of one, a table becomes KEY=VALUE."""
    if key == "metadata" and isinstance(value, dict):
        return [f"{name}={json.dumps(item)}" for name, item in value.items()]
    return [str(item) for item in (value if isinstance(value, list) else [value])]


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
