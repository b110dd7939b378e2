"""One event loop for all async applications."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from darnel.adapters.apps import loop as loop_module
from darnel.adapters.apps.loop import run_async

WHO = contextvars.ContextVar("WHO", default="nobody")


async def here() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_all_threads_share_one_loop_even_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    loop_module._loop.cache_clear()
    gate = threading.Barrier(8)

    def call(_number: int) -> int:
        gate.wait()
        return id(run_async(here()))

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(call, range(8)))) == 1


def test_context_variables_of_the_caller_are_seen() -> None:
    async def who() -> str:
        await asyncio.sleep(0)
        return WHO.get()

    WHO.set("caller")
    assert run_async(who()) == "caller"


def test_what_it_raises_is_raised() -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_async(fail())
