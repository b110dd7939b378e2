"""Ask at an application's pace: a bounded number of questions at once, a time limit for each call, and another try.

Threads of our own rather than a pool's: a pool waits at exit for a call that hangs, and a hanging call cannot be ended.
"""

from __future__ import annotations

import math
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
"""Calls that may hang at one time before no more are made: each keeps a thread, and whatever it holds."""
THREAD = "darnel-ask"
"""Name of the threads that ask; the command line knows it too."""
PAUSING = math.inf


@dataclass
class _Round:
    """The questions of one round: those left, those replied to, and since when each of the others is being asked.

    ``since``: question → when its present try began; ``PAUSING`` between two tries. A question that is given up is no
    longer in it, and whoever works on it makes no further try.
    """

    queries: Sequence[str]
    left: deque[int]
    replies: dict[int, Reply] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)


class _GivenUp(BaseException):
    """The question was given up while this thread worked on it."""


def _nobody() -> None: ...


class Pace:
    """Calls an application for many questions.

    Args:
        jobs: calls under way at once.
        timeout: seconds that one call may take; one that takes longer is given up and its reply is an error.
        retries: how often a call that raised is made once more, after a pause that grows.

    Attributes:
        hung: calls that were given up and have not returned yet.
        replied: called after each question that has its reply.
    """

    def __init__(self, jobs: int, timeout: float, retries: int) -> None:
        self.jobs, self.timeout, self.retries = jobs, timeout, retries
        self.hung = 0
        self.replied: Callable[[], None] = _nobody
        self._changed = threading.Condition()  # guards every round and what is hung

    def ask(self, call: Call, queries: Sequence[str]) -> list[Reply]:
        """One reply for each question, in order; what a call raises, its timeout included, becomes its reply's error."""
        work = _Round(queries, deque(range(len(queries))))
        told = 0
        with self._changed:
            try:
                self._start(call, work, min(self.jobs, len(queries)))
                while True:
                    self._start(call, work, self._give_up_hanging(work))
                    if self.hung >= HUNG_LIMIT:
                        self._give_up_rest(work)
                    for _ in range(len(work.replies) - told):
                        self.replied()
                    told = len(work.replies)
                    if told == len(queries):
                        return [work.replies[i] for i in range(told)]
                    self._changed.wait(self._until_next_deadline(work))
            finally:  # an interruption: nothing more is asked
                work.left.clear()
                self.hung += len(work.since)
                work.since.clear()

    def _start(self, call: Call, work: _Round, threads: int) -> None:
        for _ in range(threads):
            threading.Thread(target=self._work, args=(call, work), daemon=True, name=THREAD).start()

    def _work(self, call: Call, work: _Round) -> None:
        while True:
            with self._changed:
                if not work.left:
                    return
                number = work.left.popleft()
                work.since[number] = PAUSING
            reply = self._call(call, work, number)
            with self._changed:
                if work.since.pop(number, None) is None:
                    self.hung -= 1
                    return  # given up meanwhile; another thread took this one's place
                work.replies[number] = reply
                self._changed.notify_all()

    def _call(self, call: Call, work: _Round, number: int) -> Reply:
        def once() -> Reply:
            self._mark(work, number, time.monotonic())
            try:
                return call(work.queries[number])
            finally:
                self._mark(work, number, PAUSING)

        tries = Retrying(
            stop=stop_after_attempt(self.retries + 1),
            wait=wait_random_exponential(multiplier=0.5, max=LONGEST_PAUSE),
            retry=retry_if_exception(_may_pass),
            reraise=True,
        )
        try:
            return tries(once)
        except BaseException as error:  # whatever it is, SystemExit included: it ends this question and no more
            return Reply(error=describe_error(error))

    def _mark(self, work: _Round, number: int, since: float) -> None:
        with self._changed:
            if number not in work.since:
                raise _GivenUp
            work.since[number] = since
            self._changed.notify_all()

    def _until_next_deadline(self, work: _Round) -> float | None:
        first = min(work.since.values(), default=PAUSING)
        return None if first == PAUSING else max(0.0, first + self.timeout - time.monotonic())

    def _give_up_hanging(self, work: _Round) -> int:
        late = [n for n, since in work.since.items() if time.monotonic() - since >= self.timeout]
        for number in late:
            del work.since[number]
            work.replies[number] = Reply(error=f"no answer within {self.timeout:g} s")
            self.hung += 1
        return len(late)

    def _give_up_rest(self, work: _Round) -> None:
        while work.left:
            work.replies[work.left.popleft()] = Reply(
                error=f"not asked: {self.hung} earlier calls hung for more than {self.timeout:g} s"
            )


def _may_pass(error: BaseException) -> bool:
    """Whether another try may succeed; a refusal of the kit's own, or an exit, stays what it is."""
    return isinstance(error, Exception) and not isinstance(error, DarnelError)
