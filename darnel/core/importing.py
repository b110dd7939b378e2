"""An object of the user's behind ``module:attr``."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from darnel.core.errors import TargetError, UsageError, describe_error


def import_attr(where: str, option: str, example: str = "myapp.rag:chain") -> Any:
    """Import what ``module:attr`` names, with the current folder on the import path.

    Args:
        where: ``module:attr``, with dots in either.
        option: what it was given as, for messages.
        example: how it may be written, for messages.

    Raises:
        UsageError: it is not of that form, or there is no such module or attribute.
        TargetError: the module raised or ended the program, or needs a package that is not installed.
    """
    module_name, colon, path = where.partition(":")
    if not colon or not module_name or not path:
        raise UsageError(f"{option} {where}: expected 'module:attr', for instance {example}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name in _packages(module_name):
            raise UsageError(
                f"{option} {where}: {error}; run from the folder your application is imported from"
            ) from None
        raise TargetError(f"{where} needs the package {error.name}; install it beside darnel") from error
    except (Exception, SystemExit) as error:  # the application's own
        raise TargetError(f"{option} {where}: importing it failed: {blamed(error)}") from error
    for part in path.split("."):
        if not hasattr(found, part):
            raise UsageError(f"{option} {where}: {module_name} has no '{path}'; check the name")
        found = getattr(found, part)
    return found


def blamed(error: BaseException) -> str:
    """What an application raised, in one line; where it would exit, what to name instead."""
    if isinstance(error, SystemExit):
        return (
            f"it ended the program (sys.exit({error.code!r})); name something that can be imported without running the "
            "application"
        )
    return describe_error(error)


def _packages(module: str) -> set[str]:
    """A module's name and those of the packages it lies in."""
    parts = module.split(".")
    return {".".join(parts[: n + 1]) for n in range(len(parts))}
