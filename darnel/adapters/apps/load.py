"""The application's object behind ``module:attr``, made where that names a factory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from darnel.core.errors import DarnelError, TargetError
from darnel.core.importing import blamed, import_attr

Explain = Callable[[BaseException], str | None]
"""What an error of the application's means, where that is known."""

EXAMPLES = {"langchain": "chain", "llamaindex": "index", "python": "ask"}

_loaded: dict[tuple[str, str, str], Any] = {}


def load_app(
    where: str,
    scheme: str,
    is_factory: Callable[[Any], bool],
    explain: Explain = lambda _error: None,
    *,
    option: str = "",
) -> Any:
    """Import what ``module:attr`` names, and call it for the object where it is a factory.

    Asked again in the same process and folder, it gives the same object, so that a factory does not open its store twice.
    What the application prints meanwhile goes to standard error. ``option``: what it was given with, where that is no target.

    Raises:
        UsageError: it is not of that form, or there is no such module or attribute; or what ``is_factory`` raises.
        TargetError: the application raised, would exit, or needs a package that is not installed.
    """
    key = (scheme, where, os.getcwd())
    if key not in _loaded:
        with redirect_stdout(sys.stderr):
            _loaded[key] = _made(where, scheme, is_factory, explain, option)
    return _loaded[key]


def forget_apps() -> None:
    """Import and make everything anew when it is next asked for."""
    _loaded.clear()


def _made(where: str, scheme: str, is_factory: Callable[[Any], bool], explain: Explain, option: str) -> Any:
    try:
        example = f"myapp.rag:{EXAMPLES[scheme]}"
        found = import_attr(where, option or f"{scheme}:", example if option else f"{scheme}:{example}")
    except TargetError as error:
        if error.__cause__ is not None and (known := explain(error.__cause__)):
            raise TargetError(f"{where}: {known}") from error
        raise
    if not is_factory(found):
        return found
    try:
        return found()
    except DarnelError:
        raise
    except (Exception, SystemExit) as error:
        raise TargetError(f"{where}() failed: {explain(error) or blamed(error)}") from error
