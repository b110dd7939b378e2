"""The application's object behind ``llamaindex:module:attr``."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from contextlib import redirect_stdout
from functools import cache
from typing import Any

from darnel.core.errors import TargetError, UsageError, describe_error

EXAMPLE = "llamaindex:myapp.rag:index"
NO_EMBED_MODEL = ("llama-index-embeddings-openai", "OpenAI embedding model")


def load_object(where: str) -> Any:
    """Import what ``module:attr`` names, with the current folder on the path; a factory is called for the object.

    Asked again in the same process, it gives the same object, so that a factory does not open its store twice. What
    the application prints meanwhile goes to standard error.

    Raises:
        UsageError: it is not of that form, or there is no such attribute.
        TargetError: the application raised.
    """
    return _load(where, os.getcwd())


@cache
def _load(where: str, _folder: str) -> Any:
    module_name, colon, path = where.partition(":")
    if not colon or not module_name or not path:
        raise UsageError(f"cannot read llamaindex:{where}; write for instance {EXAMPLE}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    with redirect_stdout(sys.stderr):
        try:
            found: Any = importlib.import_module(module_name)
        except (Exception, SystemExit) as error:
            raise _explained(f"cannot import {module_name}", error) from error
        for part in path.split("."):
            if not hasattr(found, part):
                raise UsageError(f"llamaindex:{where}: {module_name} has no '{path}'; check the name")
            found = getattr(found, part)
        return _made(found, where)


def _made(found: Any, where: str) -> Any:
    if not _is_factory(found):
        return found
    try:
        return found()
    except (Exception, SystemExit) as error:
        raise _explained(f"{where}() raised", error) from error


def _is_factory(found: Any) -> bool:
    if not (inspect.isroutine(found) or inspect.isclass(found)):
        return False
    needed = [
        p
        for p in inspect.signature(found).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return not needed


def _explained(what: str, error: BaseException) -> Exception:
    if any(sign in str(error) for sign in NO_EMBED_MODEL):
        return TargetError(
            f"{what}: the index was given no embed model, and LlamaIndex falls back to OpenAI's; pass embed_model=... where "
            "the index is made, or set Settings.embed_model"
        )
    if isinstance(error, ModuleNotFoundError):
        return TargetError(f"{what}: {error}; run from the folder and environment the application is run from")
    return TargetError(f"{what}: {describe_error(error)}")
