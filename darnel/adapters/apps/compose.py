"""A target from something to ask and, apart from it, somewhere to plant."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from darnel.adapters.apps.asker import AppAsker
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.pace import Call
from darnel.core.corpus import Target
from darnel.core.errors import UsageError


def planted_apart(
    call: Call, name: str, options: AppOptions, *, advice: str = "", close: Callable[[], None] = lambda: None
) -> Target:
    """A target that asks through ``call`` and plants into ``options.into``; closing it closes both.

    Args:
        call: one question in, one reply out.
        name: what is asked, for people.
        options: how to ask, with an opened target in ``into``.
        advice: the next step where nothing of what it retrieves can be seen.
        close: gives free what ``call`` holds.

    Raises:
        UsageError: ``into`` is missing.
    """
    store = options.into
    if not isinstance(store, Target):
        raise UsageError(
            f"where does {name} keep its documents? Say where to plant with --into TARGET, for instance --into chroma:./db#docs"
        )

    def close_both() -> None:
        with ExitStack() as stack:
            stack.callback(store.close)
            stack.callback(close)

    asker = AppAsker(call, options, store.injector, advice=advice, answers_suffice=True)
    return replace(store, retriever=asker, store_search=False, app=name, close=close_both)
