"""Open ``python:module:function``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from darnel.adapters.apps.load import load_app
from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.python.call import python_target
from darnel.adapters.recognise import is_known, target_from_object
from darnel.adapters.spec import TargetSpec
from darnel.core.corpus import Target
from darnel.core.errors import UsageError
from darnel.embedders.base import Embedder

EXAMPLE = "python:myapp.rag:ask"


def open_python(
    spec: TargetSpec, embedder: Embedder | None, *, exclusive: bool = True, app: AppOptions = DEFAULT_APP
) -> Target:
    """Open ``python:module:attr``: a function, method or callable object that takes the question, a function without any
    argument that returns one, or a store that darnel knows, used through the application's own client. The module is
    imported with the current folder on the path.

    Raises:
        UsageError: the spec is not of that form or names nothing that can be tested, or ``app.into`` is missing.
        TargetError: importing or making it failed.
    """
    if ":" not in spec.where or spec.container or spec.parameters:
        raise UsageError(f"write python:MODULE:FUNCTION and nothing after it, for instance {EXAMPLE}")
    found = load_object(spec.where)
    if is_known(found):
        return replace(target_from_object(found, embedder, app), spec=f"python:{spec.where}")
    check_function(found, spec.where)
    return python_target(found, spec.where, app)


def load_object(where: str, option: str = "") -> Any:
    """What ``module:attr`` names, made if it is a factory; see ``load_app``."""
    return load_app(where, "python", lambda found: not is_known(found) and _is_factory(found), option=option)


def check_function(found: Any, where: str) -> None:
    """Refuse what cannot be called with a question.

    Raises:
        UsageError: says what to name.
    """
    if not callable(found) or inspect.isclass(found):
        raise UsageError(
            f"{where} is a {type(found).__name__} and cannot be asked; name a function that takes the question"
        )
    needed, room = takes(found)
    if needed > 1 or not room:
        raise UsageError(f"{where} must take one argument, the question; wrap it in a function that gives it the rest")


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
