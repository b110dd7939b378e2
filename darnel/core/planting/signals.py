"""Turn the first SIGINT, SIGTERM or SIGHUP into an exception; hold back all that follow, so that cleaning up ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from darnel.core.errors import InterruptedCampaign

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_STOPPING = "interrupted; taking out what is planted"
_WAIT = "still removing plants; please wait (if this process is killed, run: darnel sweep)"


class SignalGuard:
    """While installed, the first signal raises ``InterruptedCampaign`` in the main thread; later ones only notify.

    After ``shield`` no signal raises any more. Outside the main thread it does nothing: signals never arrive there.
    """

    def __init__(self, notify: Callable[[str], None] = lambda _text: None) -> None:
        self._notify = notify
        self._before: dict[int, Any] = {}
        self._raising = True
        self.received: int | None = None

    def install(self) -> None:
        """Take over the signals; a signal the program ignores (``nohup``) stays ignored."""
        if threading.current_thread() is not threading.main_thread():
            return
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) in (signal.SIG_IGN, None):
                continue
            self._before[number] = signal.signal(number, self._handle)

    def shield(self) -> None:
        """From here on signals are only noted."""
        self._raising = False

    def restore(self) -> None:
        """Give the signals back to whoever had them."""
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        first = self.received is None
        self.received = self.received or number
        raising = first and self._raising
        with suppress(Exception):  # a closed or busy terminal must not cut the cleaning up short
            self._notify(_STOPPING if raising else _WAIT)
        if raising:
            raise InterruptedCampaign(number)
