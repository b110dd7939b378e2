"""An application that is handed passages, asked at its pace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.pace import Pace
from darnel.core.corpus import Reply
from darnel.core.handing.run import Handing

Answer = Callable[[str, Sequence[str]], Reply]
"""From a question and its passages to a reply; called in several threads at once, may raise anything."""


def _nothing() -> None: ...


class HandedApp:
    """A ``ContextApp`` around one call; what the call raises, or a call that takes too long, becomes the reply's error.

    Args:
        answer: the call.
        name: what is asked, for people.
        options: ``jobs``, ``timeout`` and ``retries`` are used.
        close: gives free what the call holds.
    """

    def __init__(self, answer: Answer, name: str, options: AppOptions, close: Callable[[], None] = _nothing) -> None:
        self._answer, self.name, self.close = answer, name, close
        self._pace = Pace(options.jobs, options.timeout, options.retries)

    def answer(self, handings: Sequence[Handing]) -> list[Reply]:
        """See ``ContextApp.answer``."""

        def call(number: str) -> Reply:
            handing = handings[int(number)]
            return self._answer(handing.question, handing.passages)

        with redirect_stdout(sys.stderr):  # what the application prints is no data of ours
            return self._pace.ask(call, [str(number) for number in range(len(handings))])
