"""One event loop for an application's async entries: clients stay bound to the loop that they were first used in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

_making = threading.Lock()  # a cache alone lets two threads make a loop each


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in darnel's loop and wait for it; context variables of the calling thread are seen in it."""
    with _making:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=_keep_running, args=(loop,), daemon=True, name="darnel-loop").start()
    return loop


def _keep_running(loop: asyncio.AbstractEventLoop) -> None:
    """A task that raises SystemExit or KeyboardInterrupt ends asyncio's loop; the other questions are still in it."""
    while not loop.is_closed():
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()
