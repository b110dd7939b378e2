"""What ends a question before the model that would see what was retrieved, and the calls that it stands before."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable
from typing import Any

MODEL_CALLS = (
    "chat",
    "complete",
    "stream_chat",
    "stream_complete",
    "achat",
    "acomplete",
    "astream_chat",
    "astream_complete",
    "structured_predict",  # some models' own go straight to their client
    "astructured_predict",
    "stream_structured_predict",
    "astream_structured_predict",
)


class StopAsking(BaseException):
    """Ends a question before the model is called; no ``Exception``, which applications catch."""


class StopInTask(Exception):  # noqa: N818  # it reports no error
    """The same in a task or another thread, where frameworks hand on an ``Exception`` and lose anything else, so that
    whoever waits for it would wait for ever. Who catches it comes no further: the next call of a model raises it again.
    """


def stop_for(thread: int) -> BaseException:
    """What to raise here for a question that is asked in a thread."""
    own = threading.get_ident() == thread and asyncio._get_running_loop() is None
    return StopAsking() if own else StopInTask()


def quiet_hook(hook: Callable[[threading.ExceptHookArgs], Any]) -> Callable[[threading.ExceptHookArgs], Any]:
    """A hook for what threads raise that keeps quiet about the end of a question."""

    @functools.wraps(hook)
    def quiet(args: threading.ExceptHookArgs, /) -> Any:
        return None if issubclass(args.exc_type, StopAsking | StopInTask) else hook(args)

    return quiet
