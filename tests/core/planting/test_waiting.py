"""A store's read that fails for a moment, as one does that another client is changing, costs a run nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from darnel.core.corpus import CorpusDescription, Record, Reply, Target
from darnel.core.errors import EmbedderError, TargetError, UsageError
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting import waiting
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.waiting import TRIES, steadily
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.patterns.registry import parse_doses
from tests.support import faulty
from tests.support.corpora import make_query_list, make_records

QUICK = RunOptions(visible_within=0.3, gone_within=0.3)


class Shaken(faulty.FaultyCorpus):
    """Every second read of any kind fails; writing never does."""

    calls = 0
    writing = False

    def inject(self, plants: Sequence[Plant]) -> None:
        self.writing = True
        super().inject(plants)
        self.writing = False

    def _shake(self) -> None:
        Shaken.calls += not self.writing
        if not self.writing and Shaken.calls % 2:
            raise RuntimeError("Error executing plan: Internal error: Error finding id")

    def describe(self) -> CorpusDescription:
        self._shake()
        return super().describe()

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        self._shake()
        return super().read(ids)

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        self._shake()
        return super().scan(batch, vectors=vectors)

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self._shake()
        return super().retrieve(queries, k)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting.time, "sleep", lambda _seconds: None)


def test_a_run_over_a_store_whose_reads_fail_now_and_then(ledger: Ledger) -> None:
    def ask(corpus: faulty.FaultyCorpus) -> Results:
        return run_mode_a(Target(corpus, corpus, corpus), make_query_list(), parse_doses(["echo:2"]), QUICK, ledger)

    steady, shaken = ask(faulty.FaultyCorpus(make_records())), ask(Shaken(make_records()))
    assert Shaken.calls > 20
    assert shaken.errors == [] and shaken.exit_code == 0
    assert (shaken.scores, shaken.observations, shaken.baseline) == (
        steady.scores,
        steady.observations,
        steady.baseline,
    )
    assert shaken.corpus_digest == steady.corpus_digest


def failing(times: int, error: Exception) -> tuple[Callable[[], str], list[int]]:
    calls: list[int] = []

    def read() -> str:
        calls.append(1)
        if len(calls) <= times:
            raise error
        return "read"

    return read, calls


@pytest.mark.parametrize("error", [OSError("reset"), TargetError("the store does not answer")])
def test_a_read_is_tried_again(error: Exception) -> None:
    read, calls = failing(TRIES - 1, error)
    assert steadily(read) == "read"
    assert len(calls) == TRIES


def test_the_last_error_is_the_store_s_own() -> None:
    read, calls = failing(TRIES, OSError("reset"))
    with pytest.raises(OSError, match="reset"):
        steadily(read)
    assert len(calls) == TRIES


@pytest.mark.parametrize("error", [UsageError("no such name"), EmbedderError("give it with --embedder")])
def test_a_refusal_of_the_kit_is_final(error: Exception) -> None:
    read, calls = failing(1, error)
    with pytest.raises(type(error)):
        steadily(read)
    assert len(calls) == 1


def test_a_signal_is_never_swallowed() -> None:
    def read() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        steadily(read)
