"""SIGINT, SIGTERM and SIGHUP at every moment of a run: cleaned up, what was measured is kept, and it is no pass."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from darnel.core.corpus import Record, Reply, Target
from darnel.core.errors import InterruptedCampaign
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.signals import SignalGuard
from darnel.core.running.by_hand import plant_and_hold
from darnel.patterns.registry import parse_doses
from tests.core.running.test_runner import run
from tests.support.corpora import make_query_list, make_records
from tests.support.faulty import FaultyCorpus
from tests.support.planting import make_plants

RECORDS = make_records()
OWN = {r.id: r for r in RECORDS}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Signalled(FaultyCorpus):
    """Sends this process a signal at the given call of a method, before or after it did its work."""

    def __init__(self, method: str, call: int, number: int, *, after: bool = False, times: int = 1) -> None:
        super().__init__(RECORDS)
        self.plan, self.number, self.times = (method, call, after), number, times
        self.calls = {"inject": 0, "remove": 0, "retrieve": 0, "read": 0, "scan": 0}

    def _at(self, method: str, *, after: bool) -> None:
        if not after:
            self.calls[method] += 1
        if (method, self.calls[method], after) == self.plan:
            for _ in range(self.times):
                os.kill(os.getpid(), self.number)

    def inject(self, plants: Sequence[Plant]) -> None:
        self._at("inject", after=False)
        super().inject(plants)
        self._at("inject", after=True)

    def remove(self, ids: Sequence[str]) -> None:
        self._at("remove", after=False)
        super().remove(ids)
        self._at("remove", after=True)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        self._at("read", after=False)
        found = super().read(ids)
        self._at("read", after=True)
        return found

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self._at("retrieve", after=False)
        return super().retrieve(queries, k)

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        self._at("scan", after=False)
        return super().scan(batch, vectors=vectors)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    assert {number: signal.getsignal(number) for number in SIGNALS} == before


MOMENTS = [
    ("scan", 1, False), ("retrieve", 1, False), ("read", 1, False), ("inject", 1, False), ("inject", 1, True), ("inject", 3, True),
    ("read", 5, True), ("retrieve", 2, False), ("retrieve", 3, False), ("remove", 1, False), ("remove", 1, True), ("remove", 2, False),
    ("scan", 2, False), ("retrieve", 5, False),
]  # fmt: skip


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("method", "call", "after"), MOMENTS)
def test_a_signal_at_any_moment_of_a_run(ledger: Ledger, number: int, method: str, call: int, after: bool) -> None:
    corpus = Signalled(method, call, number, after=after)
    results = run(corpus, ledger, ["echo:1"], RunOptions(visible_within=0.3, gone_within=5))
    assert corpus.calls[method] >= call  # it did come to that
    assert corpus.records == OWN
    assert results.run.interrupted
    assert results.exit_code == 2
    assert results.leftovers == []
    assert ledger.campaigns() == []
    rows = {row.pattern for row in results.observations}
    assert rows <= {"control:1", "honest:1", "echo:1"}
    late = [row for row in results.observations if row.stage == "planned"]
    assert all(row.outcome == "inconclusive" for row in late)


def test_what_was_measured_before_the_signal_is_kept(ledger: Ledger) -> None:
    results = run(Signalled("retrieve", 4, signal.SIGINT), ledger, ["echo:1"])
    outcomes = {row.pattern: row.outcome for row in results.observations}
    assert outcomes["control:1"] == "not retrieved"
    assert outcomes["echo:1"] == "inconclusive"
    assert results.corpus_digest is not None
    assert results.corpus_digest.same  # proved all the same
    assert results.baseline.same


def test_further_signals_do_not_cut_the_cleaning_short(ledger: Ledger) -> None:
    told: list[str] = []
    corpus = Signalled("inject", 2, signal.SIGINT, after=True)
    removing = corpus.remove

    def pestered(ids: Sequence[str]) -> None:
        for number in SIGNALS:
            os.kill(os.getpid(), number)
        removing(ids)
        os.kill(os.getpid(), signal.SIGTERM)

    corpus.remove = pestered  # type: ignore[method-assign]
    results = run(corpus, ledger, ["echo:1"], RunOptions(visible_within=0.3, gone_within=5, notify=told.append))
    assert corpus.records == OWN
    assert results.run.interrupted
    assert any("still removing plants; please wait" in line for line in told)


def test_leftovers_outrank_an_interruption(ledger: Ledger) -> None:
    corpus = Signalled("retrieve", 2, signal.SIGTERM)
    corpus.remove = lambda ids: None  # type: ignore[method-assign]
    results = run(corpus, ledger, ["echo:1"], RunOptions(visible_within=0.3, gone_within=0.3))
    assert results.exit_code == 3
    assert {left.id for left in results.leftovers} == corpus.records.keys() - OWN.keys() != set()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_campaign_in_ones_own_script(ledger: Ledger, number: int) -> None:
    corpus = Signalled("inject", 2, number, after=True)
    with pytest.raises(InterruptedCampaign) as raised, Campaign(corpus, ledger, visible_within=0.3) as campaign:
        campaign.plant(make_plants(campaign))
    assert raised.value.signum == number
    assert isinstance(raised.value, KeyboardInterrupt)
    assert corpus.records == OWN


def test_planting_by_hand_that_is_interrupted_keeps_nothing(ledger: Ledger) -> None:
    corpus = Signalled("inject", 1, signal.SIGINT, after=True)
    options = RunOptions(visible_within=0.3, gone_within=5)
    held = plant_and_hold(
        Target(corpus, corpus, corpus),
        make_query_list(),
        parse_doses(["echo:1"], controls=False),
        options,
        ledger,
        print,
    )
    assert held.error is not None and "interrupted by signal" in held.error
    assert held.plants == held.leftovers == ()
    assert corpus.records == OWN


def test_an_ignored_signal_stays_ignored_and_handlers_come_back() -> None:
    called: list[int] = []
    own: Any = lambda number, _frame: called.append(number)  # noqa: E731
    before = {n: signal.signal(n, h) for n, h in ((signal.SIGHUP, signal.SIG_IGN), (signal.SIGTERM, own))}
    guard = SignalGuard()
    guard.install()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    with pytest.raises(InterruptedCampaign):
        os.kill(os.getpid(), signal.SIGTERM)
    guard.restore()
    assert signal.getsignal(signal.SIGTERM) is own
    for number, handler in before.items():
        signal.signal(number, handler)
    assert called == []


def test_in_another_thread_signals_are_left_to_the_main_one(ledger: Ledger) -> None:
    found: list[object] = []

    def work() -> None:
        corpus = FaultyCorpus(RECORDS)
        with Campaign(corpus, ledger) as campaign:
            campaign.plant(make_plants(campaign, 2))
            found.append(signal.getsignal(signal.SIGINT))
        found.append(corpus.records == OWN)

    expected = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [expected, True]


def test_a_notice_that_fails_inside_the_handler_is_swallowed() -> None:
    def closed(_text: str) -> None:
        raise BrokenPipeError

    guard = SignalGuard(closed)
    guard.install()
    guard.shield()
    os.kill(os.getpid(), signal.SIGINT)
    guard.restore()
    assert guard.received == signal.SIGINT
