"""Ask at an application's pace: a bounded number of questions at once, a time limit for each, and another try.

Threads of our own rather than a pool's: a pool waits at exit for a call that hangs, and a hanging call cannot be ended.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from darnel.core.corpus import Reply
from darnel.core.errors import DarnelError, describe_error

Call = Callable[[str], Reply]
"""One question in, one reply out; called in a thread of its own, may raise anything."""

LONGEST_PAUSE = 8.0
HUNG_LIMIT = 8
"""Calls that may hang before no more are made: each keeps a thread, and whatever it holds, for good."""


@dataclass
class _Round:
    """The questions of one round and who works on them. All of it is guarded by ``changed``."""

    queries: Sequence[str]
    left: deque[int]
    replies: dict[int, Reply] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)


class Pace:
    """Calls an application for many questions.

    Args:
        jobs: calls under way at once.
        timeout: seconds that one call may take; one that takes longer is given up and its reply is an error.
        retries: how often a call that raised is made once more, after a pause that grows.
    """

    def __init__(self, jobs: int, timeout: float, retries: int) -> None:
        self.jobs, self.timeout, self.retries = jobs, timeout, retries
        self.hung = 0

    def ask(self, call: Call, queries: Sequence[str]) -> list[Reply]:
        """One reply for each question, in order; what a call raises, its timeout included, becomes its reply's error."""
        work = _Round(queries, deque(range(len(queries))))
        for _ in range(min(self.jobs, len(queries))):
            self._start(call, work)
        with work.changed:
            while len(work.replies) < len(queries):
                work.changed.wait(self._until_next_deadline(work))
                for _ in range(self._give_up_hanging(work)):
                    self._start(call, work)
                if self.hung >= HUNG_LIMIT and not work.since:
                    while work.left:
                        work.replies[work.left.popleft()] = Reply(
                            error=f"not asked: {self.hung} earlier questions hung for more than {self.timeout:g} s"
                        )
        return [work.replies[i] for i in range(len(queries))]

    def _start(self, call: Call, work: _Round) -> None:
        threading.Thread(target=self._work, args=(call, work), daemon=True, name="darnel-ask").start()

    def _work(self, call: Call, work: _Round) -> None:
        while True:
            with work.changed:
                if not work.left or self.hung >= HUNG_LIMIT:
                    work.changed.notify_all()
                    return
                number = work.left.popleft()
                work.since[number] = time.monotonic()
                work.changed.notify_all()
            reply = self._call(call, work.queries[number])
            with work.changed:
                if work.since.pop(number, None) is None:
                    return  # given up meanwhile; another thread took this one's place
                work.replies[number] = reply
                work.changed.notify_all()

    def _call(self, call: Call, query: str) -> Reply:
        tries = Retrying(
            stop=stop_after_attempt(self.retries + 1),
            wait=wait_random_exponential(multiplier=0.5, max=LONGEST_PAUSE),
            retry=retry_if_exception(_may_pass),
            reraise=True,
        )
        try:
            return tries(call, query)
        except BaseException as error:  # whatever it is, SystemExit included: it ends this question and no more
            return Reply(error=describe_error(error))

    def _until_next_deadline(self, work: _Round) -> float | None:
        if not work.since:
            return None
        return max(0.0, min(work.since.values()) + self.timeout - time.monotonic())

    def _give_up_hanging(self, work: _Round) -> int:
        late = [n for n, since in work.since.items() if time.monotonic() - since >= self.timeout]
        for number in late:
            del work.since[number]
            work.replies[number] = Reply(error=f"no answer within {self.timeout:g} s")
            self.hung += 1
        return len(late)


def _may_pass(error: BaseException) -> bool:
    """Whether another try may succeed; a refusal of the kit's own, or an exit, stays what it is."""
    return isinstance(error, Exception) and not isinstance(error, DarnelError)
