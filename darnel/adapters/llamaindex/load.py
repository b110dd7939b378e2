"""The application's object behind ``llamaindex:module:attr``."""

from __future__ import annotations

import inspect
from typing import Any

from darnel.adapters.apps.load import load_app

NO_EMBED_MODEL = ("llama-index-embeddings-openai", "OpenAI embedding model")


def load_object(where: str) -> Any:
    """See ``load_app``; a routine or class that can be called without arguments is a factory."""
    return load_app(where, "llamaindex", _is_factory, _explain)


def _is_factory(found: Any) -> bool:
    if not (inspect.isroutine(found) or inspect.isclass(found)):
        return False
    needed = [
        p
        for p in inspect.signature(found).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return not needed


def _explain(error: BaseException) -> str | None:
    if any(sign in str(error) for sign in NO_EMBED_MODEL):
        return (
            "the index was given no embed model, and LlamaIndex falls back to OpenAI's; pass embed_model=... where "
            "the index is made, or set Settings.embed_model"
        )
    return None
