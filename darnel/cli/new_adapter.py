"""``darnel adapters --new``: a working adapter to start from, over a dictionary, with its tests and its entry point."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from string import Template

from darnel.core.errors import UsageError

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")


def write_adapter(name: str, into: Path) -> list[Path]:
    """Write the skeleton of an adapter into a new folder ``darnel-NAME`` below ``into``; returns the files.

    Raises:
        UsageError: the name cannot be used, or the folder is there already or cannot be made.
    """
    _check_name(name)
    package = f"darnel-{name.replace('_', '-')}"
    folder = into / package
    written = []
    try:
        into.mkdir(parents=True, exist_ok=True)
        folder.mkdir()
        for path, text in _render(name, package):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
            written.append(folder / path)
    except FileExistsError as error:
        raise UsageError(
            f"{error.filename} is there already, and nothing is overwritten; choose another place with --into"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}; choose another place with --into") from None
    return written


def _check_name(name: str) -> None:
    from darnel.adapters.registry import known_adapters

    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' cannot name an adapter; use lower-case letters and digits, words joined by '-', as in my-store"
        )
    if name in known_adapters():
        raise UsageError(f"there is an adapter called '{name}' already (see: darnel adapters); choose another name")


def _render(name: str, package: str) -> Iterator[tuple[str, str]]:
    """Path → text of every file."""
    words = re.split("[-_]", name)
    function = "_".join(words)
    module = f"darnel_{function}"
    values = {
        "name": name,
        "package": package,
        "module": module,
        "function": function,
        "cls": "".join(word.capitalize() for word in words),
    }
    places = {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "__init__.py": f"{module}/__init__.py",
        "corpus.py": f"{module}/corpus.py",
        "test_conformance.py": "tests/test_conformance.py",
    }
    templates = files("darnel.cli") / "skeleton"
    for template, path in places.items():
        text = (templates / f"{template}.tmpl").read_text(encoding="utf-8")
        yield path, Template(text).substitute(values)
