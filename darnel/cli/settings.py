"""Settings files: ``darnel.toml``, or ``[tool.darnel]`` in ``pyproject.toml``, in the current folder."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from darnel.cli.options import REPEATED, SETTINGS
from darnel.core.errors import UnknownNameError, UsageError


def load_settings(folder: Path | None = None) -> dict[str, Any]:
    """Settings by parameter name, as click's ``default_map`` takes them; empty where there is no file or table.

    Raises:
        UsageError: a file is no TOML.
        UnknownNameError: a key is not known; offers the nearest.
    """
    folder = folder or Path()
    settings = {}
    for key, value in (_read(folder / "darnel.toml") or _own_table(folder / "pyproject.toml")).items():
        if key not in SETTINGS:
            raise UnknownNameError("setting", key, SETTINGS)
        settings[SETTINGS[key]] = _several(key, value) if key in REPEATED else _one(key, value)
    return settings


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
