"""Asking at an application's pace: every question gets its one reply, whatever the application does."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from darnel.adapters.apps import pace as pace_module
from darnel.adapters.apps.pace import HUNG_LIMIT, Pace
from darnel.core.corpus import Reply
from darnel.core.errors import TargetError


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "LONGEST_PAUSE", 0.001)


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """What hanging calls wait for; they are let go at the end."""
    event = threading.Event()
    yield event
    event.set()


def say(question: str) -> Reply:
    return Reply(answer=question.upper())


KINDS = ("answer", "raise", "raise once", "refuse", "exit", "interrupt", "hang")


@settings(max_examples=40)
@given(st.lists(st.sampled_from(KINDS), max_size=12), st.integers(1, 5), st.integers(0, 2))
def test_every_question_has_its_one_reply_in_order(kinds: list[str], jobs: int, retries: int) -> None:
    stuck, calls, lock, replied = threading.Event(), Counter[str](), threading.Lock(), []
    hangs = [n for n, kind in enumerate(kinds) if kind == "hang"][: HUNG_LIMIT - 1]
    kinds = ["answer" if kind == "hang" and n not in hangs else kind for n, kind in enumerate(kinds)]

    def call(question: str) -> Reply:
        kind = kinds[int(question)]
        with lock:
            calls[question] += 1
        if kind == "hang":
            stuck.wait(20)
        elif kind == "raise" or (kind == "raise once" and calls[question] == 1):
            raise ValueError(question)
        elif kind == "refuse":
            raise TargetError(f"refused {question}")
        elif kind == "exit":
            sys.exit(3)
        elif kind == "interrupt":
            raise KeyboardInterrupt
        return Reply(answer=question)

    pace = Pace(jobs, 0.15 if hangs else 30.0, retries)
    pace.replied = lambda: replied.append(1)
    try:
        replies = pace.ask(call, [str(n) for n in range(len(kinds))])
    finally:
        stuck.set()
    assert len(replies) == len(kinds) == len(replied)
    for number, (kind, reply) in enumerate(zip(kinds, replies, strict=True)):
        tries = calls[str(number)]
        if kind == "answer" or (kind == "raise once" and retries):
            assert reply == Reply(answer=str(number))
            assert tries == (1 if kind == "answer" else 2)
        elif kind == "hang":
            assert reply.error == "no answer within 0.15 s"
            assert tries == 1
        else:
            said = {"refuse": f"refused {number}", "exit": "SystemExit: 3", "interrupt": "KeyboardInterrupt: "}
            assert reply.error == said.get(kind, f"ValueError: {number}")
            assert tries == (1 + retries if kind == "raise" else 1)


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_more_at_once_than_jobs(jobs: int) -> None:
    lock, now, peak = threading.Lock(), 0, 0
    gate = threading.Barrier(jobs, timeout=10)

    def call(question: str) -> Reply:
        nonlocal now, peak
        with lock:
            now += 1
            peak = max(peak, now)
        gate.wait()  # passes only when that many are under way
        with lock:
            now -= 1
        return say(question)

    replies = Pace(jobs, 30, 0).ask(call, [f"q{n}" for n in range(6)])
    assert [r.answer for r in replies] == [f"Q{n}" for n in range(6)]
    assert peak == jobs


def test_a_hanging_call_is_replaced_and_the_others_are_asked(stuck: threading.Event) -> None:
    def call(question: str) -> Reply:
        if question == "hang":
            stuck.wait(20)
        return say(question)

    replies = Pace(1, 0.2, 2).ask(call, ["hang", "a", "b"])
    assert [r.error or r.answer for r in replies] == ["no answer within 0.2 s", "A", "B"]


def test_after_so_many_hanging_calls_no_more_are_made(stuck: threading.Event) -> None:
    asked = []

    def call(question: str) -> Reply:
        asked.append(question)
        stuck.wait(20)
        return say(question)

    pace = Pace(4, 0.1, 0)
    replies = pace.ask(call, [str(n) for n in range(HUNG_LIMIT + 6)])
    assert len(asked) < HUNG_LIMIT + 4
    assert pace.hung >= HUNG_LIMIT
    assert all(r.error for r in replies)
    assert (replies[-1].error or "").startswith("not asked: ")
    before = len(asked)
    (later,) = pace.ask(call, ["later"])
    assert (later.error or "").startswith("not asked")
    assert len(asked) == before


def test_calls_that_return_late_free_their_place(stuck: threading.Event) -> None:
    pace = Pace(HUNG_LIMIT, 0.1, 0)
    hanging = True

    def call(question: str) -> Reply:
        if hanging:
            stuck.wait(20)
        return say(question)

    assert all(r.error for r in pace.ask(call, [str(n) for n in range(HUNG_LIMIT)]))
    hanging = False
    stuck.set()
    for _ in range(1_000):
        if not pace.hung:
            break
        time.sleep(0.01)
    assert pace.ask(call, ["again"]) == [Reply(answer="AGAIN")]


def test_the_time_limit_is_each_calls_own_and_pauses_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "wait_random_exponential", lambda **_: pace_module_wait)
    tries = 0

    def call(question: str) -> Reply:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise ConnectionError("busy")
        return say(question)

    assert Pace(1, 0.3, 2).ask(call, ["q"]) == [Reply(answer="Q")]  # two pauses of 0.4 s each, longer than the limit


def pace_module_wait(_state: object) -> float:
    return 0.4


def test_a_call_that_was_given_up_is_not_tried_again(stuck: threading.Event) -> None:
    tries = 0

    def call(_question: str) -> Reply:
        nonlocal tries
        tries += 1
        stuck.wait(20)
        raise ConnectionError("too late")

    pace = Pace(1, 0.1, 5)
    assert pace.ask(call, ["q"])[0].error == "no answer within 0.1 s"
    stuck.set()
    for _ in range(1_000):
        if not pace.hung:
            break
        time.sleep(0.01)
    assert (pace.hung, tries) == (0, 1)


@pytest.mark.parametrize("moment", ["hanging", "pausing"])
def test_ctrl_c_gets_out_at_once_and_nothing_more_is_asked(
    moment: str, stuck: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    if moment == "pausing":
        monkeypatch.setattr(pace_module, "wait_random_exponential", lambda **_: lambda _state: 0.5)
    asked = []
    main = threading.main_thread().ident
    assert main is not None

    def call(question: str) -> Reply:
        asked.append(question)
        if len(asked) == 2:
            signal.pthread_kill(main, signal.SIGINT)
        if moment == "pausing":
            raise ConnectionError("busy")
        stuck.wait(20)
        return say(question)

    pace = Pace(2, 600, 3)
    with pytest.raises(KeyboardInterrupt):
        pace.ask(call, [str(n) for n in range(10)])
    assert len(asked) == 2
    stuck.set()
    for _ in range(1_000):
        if not pace.hung:
            break
        time.sleep(0.01)
    assert (pace.hung, len(asked)) == (0, 2)


def test_nothing_to_ask() -> None:
    assert Pace(3, 1, 1).ask(say, []) == []
