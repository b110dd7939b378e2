"""Whose question it is that the code at hand works on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from darnel.adapters.llamaindex.apps.span import Span
from darnel.adapters.llamaindex.apps.trace import QUESTION, Trace

STRAY = (
    "a search ran in a thread of the application's own while several questions were under way, so it cannot be told whose "
    "it was; ask one at a time: --jobs 1"
)


class UnderWay:
    """The questions under way. ``on_stray``: called when a search ran in a thread that no question can be told from."""

    def __init__(self, on_stray: Callable[[], None]) -> None:
        self._on_stray = on_stray
        self._lock = threading.RLock()
        self._all: list[Trace] = []
        self._strays: dict[int, Trace] = {}

    @contextmanager
    def question(self, trace: Trace) -> Iterator[None]:
        """What happens while inside is one question's."""
        with self._lock:
            self._all.append(trace)
        token = QUESTION.set(trace)
        try:
            yield
        finally:
            QUESTION.reset(token)
            with self._lock:
                trace.finished = True
                self._all.remove(trace)

    def trace(self, *, search: bool = False) -> Trace | None:
        """The question that the code at hand works on; a search from nowhere is the only question's under way."""
        own = QUESTION.get()
        if own is not None and not own.finished:
            return own if own in self._all else None
        with self._lock:
            if search and self._all:
                self._adopt()
            stray = self._strays.get(threading.get_ident())
            if stray is not None and stray.finished and len(self._all) == 1:
                stray = self._strays[threading.get_ident()] = self._all[0]  # the thread was taken up again
        if stray is not None:
            return stray  # one that has finished still keeps its thread from calling a model
        return own if own is not None and own.stopped.is_set() else None

    def _adopt(self) -> None:
        """Give this thread to the question under way; if there are several, what any of them returned may be another's."""
        me = threading.get_ident()
        if (stray := self._strays.get(me)) is not None and not stray.finished:
            return
        self._on_stray()
        self._strays[me] = self._all[0]
        if len(self._all) > 1:
            for trace in self._all:
                trace.errors.append(STRAY)

    def forget_threads(self) -> None:
        """No thread of the application's belongs to a question any longer."""
        self._strays.clear()


def current_span(trace: Trace) -> Span | None:
    """The innermost span that the code at hand runs in."""
    from llama_index_instrumentation.span import active_span_id

    return trace.spans.get(active_span_id.get() or "")


def enter(trace: Trace, span: Span) -> Callable[[], None]:
    """Make a span of our own the innermost; returns what ends it."""
    from llama_index_instrumentation.span import active_span_id

    name = f"darnel-{id(span)}"
    trace.spans[name] = span
    token = active_span_id.set(name)
    return lambda: active_span_id.reset(token)
