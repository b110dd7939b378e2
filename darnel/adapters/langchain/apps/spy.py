"""See the searches of a vector store that an application makes itself, past LangChain's callbacks.

Methods are replaced on the store's class while questions are under way, act only on the stores that are watched, and are
put back exactly; the application's objects get no attribute.
"""

from __future__ import annotations

import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

Saw = Callable[[Sequence[Any], Mapping[str, Any]], None]
"""Takes the documents that a search returned, and the settings it was called with."""

SEARCHES = re.compile(r"a?(similarity_search|max_marginal_relevance_search)\w*")
_inside: ContextVar[bool] = ContextVar("darnel_inside_search", default=False)
_lock = threading.Lock()
_watched: dict[int, tuple[Any, Saw]] = {}
_patched: dict[type, tuple[int, dict[str, Any]]] = {}
"""Class → how many watch it, and what its own dictionary held before."""
_any: list[Saw] = []
"""Who watches every store there is, the latest last."""
_ABSENT = object()


@contextmanager
def watch(stores: Sequence[Any], saw: Saw) -> Iterator[None]:
    """Report every search of these stores while the block runs; one that calls another of them is reported once.

    Without any, every store of every class that is loaded is watched: an application that makes its store anew for each
    question has none that could be found beforehand.
    """
    with ExitStack() as stack:
        if not stores:
            stack.enter_context(_watch_all(saw))
        for store in stores:
            stack.enter_context(_watch_one(store, saw))
        yield


@contextmanager
def _watch_one(store: Any, saw: Saw) -> Iterator[None]:
    with _lock:
        earlier = _watched.get(id(store))
        _watched[id(store)] = (store, saw)
        _patch(type(store))
    try:
        yield
    finally:
        with _lock:
            if earlier is None:
                del _watched[id(store)]
            else:
                _watched[id(store)] = earlier
            _restore(type(store))


@contextmanager
def _watch_all(saw: Saw) -> Iterator[None]:
    from langchain_core.vectorstores import VectorStore

    with _lock:
        classes = list(_subclasses(VectorStore))
        _any.append(saw)
        for cls in classes:
            _patch(cls)
    try:
        yield
    finally:
        with _lock:
            _any.remove(saw)
            for cls in reversed(classes):
                _restore(cls)


def _subclasses(base: type) -> Iterator[type]:
    """The class and all below it, each once, bases first."""
    below: list[type] = base.__subclasses__()
    return iter(dict.fromkeys([base, *(each for cls in below for each in _subclasses(cls))]))


def _patch(cls: type) -> None:
    count, before = _patched.get(cls, (0, {}))
    if count == 0:
        names = [n for n in dir(cls) if SEARCHES.fullmatch(n) and inspect.isfunction(getattr(cls, n))]
        before = {name: cls.__dict__.get(name, _ABSENT) for name in names}
        for name in names:
            setattr(cls, name, _spied(getattr(cls, name)))
    _patched[cls] = (count + 1, before)


def _restore(cls: type) -> None:
    count, before = _patched[cls]
    if count > 1:
        _patched[cls] = (count - 1, before)
        return
    del _patched[cls]
    for name, value in before.items():
        if value is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, value)


def _spied(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        saw = _who_watches(self)
        if saw is None:
            return plain(self, *args, **kwargs)
        token = _inside.set(True)
        try:
            found = plain(self, *args, **kwargs)
        finally:
            _inside.reset(token)
        saw(_documents(found), kwargs)
        return found

    @functools.wraps(plain)
    async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
        saw = _who_watches(self)
        if saw is None:
            return await plain(self, *args, **kwargs)
        token = _inside.set(True)
        try:
            found = await plain(self, *args, **kwargs)
        finally:
            _inside.reset(token)
        saw(_documents(found), kwargs)
        return found

    return acall if inspect.iscoroutinefunction(plain) else call


def _who_watches(store: Any) -> Saw | None:
    if _inside.get():
        return None
    watched = _watched.get(id(store))
    if watched is not None:
        return watched[1]
    return _any[-1] if _any else None


def _documents(found: Any) -> list[Any]:
    """The documents of a search's result, its scores and vectors left out."""
    return [item[0] if isinstance(item, tuple) else item for item in found or ()]
