"""Settings files: ``darnel.toml``, or ``[tool.darnel]`` in ``pyproject.toml``, in the current folder."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from darnel.cli.options import SETTINGS
from darnel.core.errors import UnknownNameError, UsageError


def load_settings(folder: Path | None = None) -> dict[str, Any]:
    """Settings by parameter name, as click's ``default_map`` takes them; empty where there is no file or table.

    Raises:
        UsageError: a file is no TOML.
        UnknownNameError: a key is not known; offers the nearest.
    """
    folder = folder or Path()
    own = _read(folder / "darnel.toml")
    shared = _read(folder / "pyproject.toml").get("tool", {}).get("darnel", {}) if not own else {}
    settings = {}
    for key, value in (own or shared).items():
        if key not in SETTINGS:
            raise UnknownNameError("setting", key, SETTINGS)
        settings[SETTINGS[key]] = value
    return settings


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {error}") from None
