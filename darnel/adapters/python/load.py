"""Open ``python:module:function``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.python.call import python_target
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Target
from darnel.core.errors import DarnelError, TargetError, UsageError, describe_error
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import import_attr

EXAMPLE = "python:myapp.rag:ask"


def open_python(
    spec: TargetSpec, _embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open ``python:module:function``: a function, method or callable object that takes the question, or a function
    without any argument that returns one. The module is imported with the current folder on the path.

    Raises:
        UsageError: the spec is not of that form or names nothing that can be called, or ``app.into`` is missing.
        TargetError: importing or making it failed.
    """
    if ":" not in spec.where or spec.container or spec.parameters:
        raise UsageError(f"write python:MODULE:FUNCTION and nothing after it, for instance {EXAMPLE}")
    if not isinstance(app.into, Target):
        return python_target(len, spec.where, app)  # refuses, before anything of the application's runs
    return python_target(load_function(spec.where), spec.where, app)


def load_function(where: str) -> Callable[[Any], Any]:
    """What ``module:function`` names, made if it is a factory; what the application prints goes to standard error.

    Raises:
        UsageError: it cannot be imported, or takes no question.
        TargetError: the application raised, or would exit.
    """
    with redirect_stdout(sys.stderr):
        try:
            found = import_attr(where, "python:")
            made = found() if _is_factory(found) else found
        except DarnelError:
            raise
        except (Exception, SystemExit) as error:
            raise TargetError(f"{where} failed before it was asked anything: {describe_error(error)}") from error
    if not callable(made) or inspect.isclass(made):
        raise UsageError(
            f"{where} is a {type(made).__name__} and cannot be asked; name a function that takes the question"
        )
    needed, room = takes(made)
    if needed > 1 or not room:
        raise UsageError(f"{where} must take one argument, the question; wrap it in a function that gives it the rest")
    function: Callable[[Any], Any] = made
    return function


def takes(function: Callable[..., Any]) -> tuple[int, int]:
    """How many arguments a callable must be given, and how many it may be given by place."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1, 1  # built in; the call itself will tell
    named = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    needed = [p for p in named if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    return len(needed), sum(1 for p in named if p.kind is not p.KEYWORD_ONLY)


def _is_factory(found: Any) -> bool:
    """A class whose objects need nothing, or a function that could not be given a question."""
    if not callable(found):
        return False
    needed, room = takes(found)
    return needed == 0 and (inspect.isclass(found) or room == 0)
