"""A baseline is asked again where another run may have disturbed it, and only there: the pauses cost a run its time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from darnel.core.corpus import Reply, Target
from darnel.core.options import RunOptions
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.core.results import Results
from darnel.core.running import baseline
from darnel.core.running.runner import run_mode_a
from darnel.patterns.registry import parse_doses
from tests.support import faulty
from tests.support.corpora import make_query_list, make_records
from tests.support.planting import make_plants


class Forgetful(faulty.FaultyCorpus):
    """Misses its best record of every list once anything was removed, as an approximate index may for good."""

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        return [Reply(reply.sources[1:] if self.removed else reply.sources) for reply in super().retrieve(queries, k)]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(baseline.time, "sleep", slept.append)
    return slept


def run(corpus: faulty.FaultyCorpus, ledger: Ledger) -> Results:
    options = RunOptions(visible_within=0.3, gone_within=0.3)
    return run_mode_a(Target(corpus, corpus, corpus), make_query_list(), parse_doses(["echo:1"]), options, ledger)


def test_alone_a_list_that_differs_is_reported_and_not_waited_for(ledger: Ledger, pauses: list[float]) -> None:
    assert run(Forgetful(make_records()), ledger).baseline.same is False
    assert pauses == []


def test_among_others_plants_the_first_baseline_is_asked_until_it_agrees(ledger: Ledger, pauses: list[float]) -> None:
    corpus = faulty.FaultyCorpus(make_records())
    with Campaign(corpus, ledger) as other:
        other.plant(make_plants(other, 4))
        results = run(corpus, ledger)
    assert results.baseline.same
    assert pauses == [baseline.FIRST_PAUSE]  # one more round, which agreed
