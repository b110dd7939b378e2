"""Hand a question to an application in the form that it takes."""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

from darnel.adapters.apps.loop import run_async
from darnel.adapters.apps.options import AppOptions, fill
from darnel.adapters.langchain.apps.shapes import Shape, guess_shapes

_INPUT_ERRORS = (KeyError, TypeError, ValueError, AttributeError)


class Driver:
    """Asks an application one question at a time; safe to use from several threads.

    Args:
        app: a runnable, or a function of one argument.
        options: ``input`` is the form that questions are put in; else it is found out, once.
    """

    def __init__(self, app: Any, options: AppOptions) -> None:
        from langchain_core.runnables import Runnable

        self.app, self._runnable = app, isinstance(app, Runnable)
        self._asynchronous = False
        self._found: list[Shape] = []
        template = options.input
        self._shapes: list[Shape] = [lambda q: fill(template, q)] if template is not None else guess_shapes(app)
        self._fresh = _fresh_names(app) if self._runnable else ()

    @property
    def shapes(self) -> list[Shape]:
        """The forms to try, likeliest first; once one was right, that one alone."""
        return self._found or self._shapes

    def remember(self, shape: Shape) -> None:
        """The application took a question in this form."""
        self._found = self._found or [shape]

    def ask(self, given: Any, handler: Any) -> Any:
        """Hand it over and wait for the whole output; raises whatever the application raises."""
        if not self._runnable:
            return _whole(self.app(given))
        config = {"callbacks": [handler], "configurable": {name: str(uuid.uuid4()) for name in self._fresh}}
        if self._asynchronous:
            return run_async(self.app.ainvoke(given, config))
        return self.app.invoke(given, config)

    @property
    def asynchronous(self) -> bool:
        """Whether the next question goes to the application's async entry."""
        return self._asynchronous

    def go_async(self, error: BaseException, *, was: bool) -> bool:
        """Whether what the application raised says that it can only be asked through its async entry; the next one is.

        ``was``: it had been asked through that one.
        """
        # how LangChain and plain Python say it: "No synchronous function provided", "coroutine ... was never awaited"
        wants = isinstance(error, TypeError | NotImplementedError) and any(
            w in str(error) for w in ("sync", "coroutine")
        )
        if not self._runnable or was or not wants:
            return False
        self._asynchronous = True
        return True

    def wrong_input(self, error: BaseException) -> bool:
        """Whether an error may be about the form of the input, so that another is worth a try."""
        return isinstance(error, _INPUT_ERRORS) or type(error).__name__ == "InvalidUpdateError"


def _fresh_names(app: Any) -> tuple[str, ...]:
    """What has to be new for each question, so that none sees an earlier one: threads and sessions."""
    names = {"thread_id", "session_id"}
    try:
        specs = app.config_specs
    except Exception:  # a chain may not be able to say
        specs = []
    names.update(s.id for s in specs if s.annotation is str and s.default in ("", None))
    return tuple(sorted(names))


def _whole(output: Any) -> Any:
    """What a function returned, waited for and read to its end: a coroutine's result, a stream's parts joined."""
    if inspect.isawaitable(output):
        return _whole(run_async(_wait(output)))
    if isinstance(output, AsyncIterator):
        return _joined(run_async(_read(output)))
    return _joined(list(output)) if isinstance(output, Iterator) else output


async def _wait(awaitable: Any) -> Any:
    return await awaitable


async def _read(parts: AsyncIterator[Any]) -> list[Any]:
    return [part async for part in parts]


def _joined(parts: list[Any]) -> Any:
    texts = [part if isinstance(part, str) else getattr(part, "content", None) for part in parts]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else (parts[-1] if parts else "")
