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
    from darnel.audit.accepted import Acceptance
    from darnel.core.suppressions import Suppression

SUPPRESS = "suppress"
_DATED = {"reason": "reason = 'reranker comes with the next release'", "until": "until = 2027-01-31"}
SUPPRESS_KEYS = {"condition": "condition = 'exposure@5 > 0.2'", "pattern": "pattern = 'echo'", **_DATED}
"""Keys of one suppression of a gate, each as it may be written."""
FINDING_KEYS = {"detector": "detector = 'repetition'", "record": "record = 'reference/*.md'", **_DATED}
"""Keys of one suppression of findings."""


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
    """The gates that ``[[suppress]]`` (in ``pyproject.toml``: ``[[tool.darnel.suppress]]``) accepts, in its order.

    Raises:
        UsageError: an entry has no condition, reason or date, or one of another kind.
        UnknownNameError: a key is not known; offers the nearest.
    """
    entries = _entries(_table(folder or Path()), "")
    return [_suppression(entry, where) for entry, where in entries if not _is_of_findings(entry)]


def load_acceptances(path: str | None = None, folder: Path | None = None) -> list[Acceptance]:
    """The findings that ``[[suppress]]`` accepts: in the settings, and in a file of its own where one is given.

    Raises:
        UsageError: the file cannot be read, or an entry has no detector and no record, no reason or no date.
        UnknownNameError: a key is not known; offers the nearest.
    """
    entries = [one for one in _entries(_table(folder or Path()), "") if _is_of_findings(one[0])]
    if path is not None:
        if not Path(path).is_file():
            raise UsageError(f"cannot read {path}: no such file; --suppress takes a TOML file of [[suppress]] entries")
        table = _read(Path(path))
        for key in table:
            if key != SUPPRESS:
                raise UnknownNameError(f"key in {path}", key, [SUPPRESS])
        entries += _entries(table, f"{path}: ")
    return [_acceptance(entry, where) for entry, where in entries]


def _entries(table: dict[str, Any], of: str) -> list[tuple[dict[str, Any], str]]:
    """Each entry of ``[[suppress]]`` with how an error names it."""
    given = table.get(SUPPRESS, [])
    if not isinstance(given, list) or not all(isinstance(entry, dict) for entry in given):
        raise UsageError(f"{of}the setting 'suppress' is a list of tables; write [[suppress]]")
    return [(entry, f"{of}[[suppress]] number {number}") for number, entry in enumerate(given, 1)]


def _is_of_findings(entry: dict[str, Any]) -> bool:
    return "condition" not in entry and bool({"detector", "record"} & entry.keys())


def _suppression(entry: dict[str, Any], where: str) -> Suppression:
    from darnel.core.suppressions import Suppression

    reason, until = _dated(entry, where, SUPPRESS_KEYS, ("condition", "reason"))
    pattern = entry.get("pattern")
    if pattern is not None and not isinstance(pattern, str):
        raise UsageError(f"{where}: give one pattern, such as {SUPPRESS_KEYS['pattern']}, or none for all")
    return Suppression(entry["condition"].strip(), reason, until, pattern)


def _acceptance(entry: dict[str, Any], where: str) -> Acceptance:
    from darnel.audit.accepted import Acceptance

    reason, until = _dated(entry, where, FINDING_KEYS, ("reason",))
    named = {key: entry.get(key) for key in ("detector", "record")}
    for key, value in named.items():
        if value is not None and not isinstance(value, str):
            raise UsageError(f"{where}: give one {key}, such as {FINDING_KEYS[key]}")
    if not any(named.values()):
        raise UsageError(f"{where}: give a detector, a record or both, such as {FINDING_KEYS['record']}")
    return Acceptance(reason, until, named["detector"], named["record"])


def _dated(entry: dict[str, Any], where: str, keys: dict[str, str], texts: tuple[str, ...]) -> tuple[str, date]:
    """The reason and the last day, once every key is known and the texts that must be there are."""
    for key in entry:
        if key not in keys:
            raise UnknownNameError(f"key in {where}", key, keys)
    for key in texts:
        if not isinstance(entry.get(key), str) or not entry[key].strip():
            raise UsageError(f"{where}: give a {key}, such as {keys[key]}")
    until = entry.get("until")
    if isinstance(until, datetime) or not isinstance(until, date):
        raise UsageError(f"{where}: give the last day it holds, such as {keys['until']} (without quotes)")
    return " ".join(entry["reason"].split()), until


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
