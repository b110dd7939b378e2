"""Keep models from being called in threads that no callback reaches, where a run cannot be stopped in time."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from darnel.adapters.apps.walk import walk
from darnel.adapters.langchain.apps.find import worth_a_look

CALLS = ("_generate", "_agenerate", "_stream", "_astream", "_call", "_acall")
Before = Callable[[], None]
"""Called before a model is; raises where it must not be."""

_lock = threading.Lock()
_guarded: dict[int, list[tuple[Any, Before]]] = {}
_ABSENT = object()


def find_models(app: Any) -> list[Any]:
    """Every model of LangChain's that an application holds."""
    from langchain_core.language_models import BaseLanguageModel

    return [model for _, model in walk(app, "app", lambda item: isinstance(item, BaseLanguageModel), worth_a_look)]


@contextmanager
def guard(models: list[Any], before: Before) -> Iterator[None]:
    """Call ``before`` ahead of every call of these models while the block runs; their classes are put back exactly."""
    with _lock:
        for model in models:
            _guarded.setdefault(id(model), []).append((model, before))
        kept = [_patch(cls) for cls in dict.fromkeys(type(model) for model in models)]
    try:
        yield
    finally:
        with _lock:
            for model in models:
                _guarded[id(model)].remove((model, before))
                if not _guarded[id(model)]:
                    del _guarded[id(model)]
            for cls, held in reversed(kept):
                for name, value in held.items():
                    if value is _ABSENT:
                        delattr(cls, name)
                    else:
                        setattr(cls, name, value)


def _patch(cls: type) -> tuple[type, dict[str, Any]]:
    """Wrap what a model's class defines itself: LangChain looks whether a method is still the base's."""
    from langchain_core.language_models import BaseChatModel, BaseLLM

    def own(name: str) -> bool:
        found = getattr(cls, name, None)
        return callable(found) and all(found is not getattr(base, name, None) for base in (BaseChatModel, BaseLLM))

    names = [name for name in CALLS if own(name)]
    held = {name: cls.__dict__.get(name, _ABSENT) for name in names}
    for name in names:
        setattr(cls, name, _wrapped(getattr(cls, name)))
    return cls, held


def _wrapped(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        for _, before in list(_guarded.get(id(self), ())):
            before()
        return plain(self, *args, **kwargs)

    return call
