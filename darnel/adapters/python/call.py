"""Ask a Python callable, async or not, and read what it returns."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

from darnel.adapters.apps.compose import planted_apart
from darnel.adapters.apps.loop import run_async
from darnel.adapters.apps.options import AppOptions, fill
from darnel.adapters.apps.reading import OutputReader
from darnel.core.corpus import Check, Reply, Target

OWN_CLIENT = ("qdrant",)
"""Stores whose folder, opened by its path, gets a client beside the application's; of Chroma's, the application's is joined."""
ADVICE = "let the function return what it retrieved beside its answer, for instance (answer, documents)"


def python_target(function: Callable[[Any], Any], name: str, options: AppOptions) -> Target:
    """A target that asks a callable of the application's and plants into ``options.into``.

    Raises:
        UsageError: ``into`` is missing, or a path is no JMESPath.
    """
    reader = OutputReader(options)

    def call(question: str) -> Reply:
        given = question if options.input is None else fill(options.input, question)
        return reader.read(finished(function(given)))

    target = planted_apart(call, f"python {name}", options, advice=ADVICE)

    def checks() -> Iterator[Check]:
        yield from target.checks()
        if (adapter := target.spec.partition(":")[0]) in OWN_CLIENT and "://" not in target.spec:
            detail = f"the application's own {adapter} client may not see what another client of its folder writes"
            yield Check("one client", None, detail, "Name the application's own object: --into python:MODULE:ATTR.")

    return replace(target, checks=checks)


def finished(output: Any) -> Any:
    """What comes of a coroutine; the pieces of a stream of text, joined."""
    if inspect.isawaitable(output):
        return finished(run_async(_wait(output)))
    if inspect.isasyncgen(output):
        return _joined(run_async(_collect(output)))
    return _joined(list(output)) if inspect.isgenerator(output) else output


async def _wait(output: Awaitable[Any]) -> Any:
    return await output


async def _collect(output: AsyncIterator[Any]) -> list[Any]:
    return [piece async for piece in output]


def _joined(pieces: list[Any]) -> Any:
    return "".join(pieces) if all(isinstance(piece, str) for piece in pieces) else pieces
