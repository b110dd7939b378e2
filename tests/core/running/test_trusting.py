"""The average trust of what came back: whose claim counts, and when the figure is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from darnel.core.asking.ranking import Entry, Listing
from darnel.core.corpus import Record, Source
from darnel.core.planting.ledger import Ledger
from darnel.core.running.trusting import mean_trust
from darnel.core.trust import claims_trust, trust_of
from tests.core.running.test_runner import QUICK, RECORDS, run
from tests.support.faulty import FaultyCorpus

TIERED = [replace(r, metadata={**(r.metadata or {}), "trust": "trusted"}) for r in RECORDS]


def test_a_plant_of_low_trust_lowers_the_average_by_its_share_of_the_list(ledger: Ledger) -> None:
    low = run(FaultyCorpus(TIERED), ledger, ["echo:1"], replace(QUICK, metadata={"trust": "community"}))
    score = next(s for s in low.scores if s.pattern == "echo:1")
    assert score.slot_share.value == pytest.approx(0.2)  # one of five
    assert (score.trust.n, score.trust.before) == (3, 1.0)
    assert score.trust.change == pytest.approx(0.2 * (0.3 - 1.0))
    assert next(s for s in low.scores if s.pattern == "control:1").trust.change == 0.0


def test_a_plant_that_claims_the_commonest_trust_hides_in_the_average(ledger: Ledger) -> None:
    (score,) = [s for s in run(FaultyCorpus(TIERED), ledger).scores if s.pattern == "echo:1"]
    assert score.slot_share.value and score.trust.change == 0.0


def test_a_corpus_that_says_nothing_of_trust_has_no_average(ledger: Ledger) -> None:
    corpus = FaultyCorpus(RECORDS)
    assert all(score.trust.n == 0 for score in run(corpus, ledger).scores)


class BreaksAtTheEnd(FaultyCorpus):
    """Reads no record of the owner's any more once the plants are removed."""

    def read(self, ids: Sequence[str]) -> dict[str, Record]:
        if any(id_.startswith("r") for id_ in ids):
            raise RuntimeError("gone fishing")
        return dict(super().read(ids))


def test_a_store_that_cannot_be_read_costs_the_figure_and_not_the_run(ledger: Ledger) -> None:
    results = run(BreaksAtTheEnd(TIERED), ledger)
    assert all(score.trust.n == 0 for score in results.scores)
    assert any("the average trust" in warning and "gone fishing" in warning for warning in results.warnings)
    assert results.exit_code == 0


def test_a_source_of_which_nothing_was_read_leaves_the_mean_unknown() -> None:
    two = Listing((Entry(Source("a")), Entry(Source("b"))), 0, True)
    assert mean_trust(two, {"a": 1.0, "b": 0.5}, k=5) == 0.75
    assert mean_trust(two, {"a": 1.0, "b": 0.5}, k=1) == 1.0
    assert mean_trust(two, {"a": 1.0}, k=5) is None
    assert mean_trust(replace(two, error="boom"), {"a": 1.0, "b": 0.5}, k=5) is None
    assert mean_trust(replace(two, entries=()), {"a": 1.0}, k=5) is None


@pytest.mark.parametrize(
    ("metadata", "claimed"),
    [
        ({"trust": "Official "}, 1.0),
        ({"trust_tier": "partner"}, 0.6),
        ({"trust_score": 7}, 1.0),
        ({"trust": -1}, 0.0),
        ({"trust": True}, 1.0),
        ({"trust": " 0.7"}, 0.7),
        ({"trust": "nan"}, 0.2),
        ({"trust": float("inf")}, 0.2),
        ({"trust": "who"}, 0.2),
        ({}, 0.2),
        (None, 0.2),
    ],
)
def test_the_trust_a_source_claims(metadata: dict[str, str | float] | None, claimed: float) -> None:
    assert trust_of(metadata) == claimed
    assert claims_trust(metadata) is bool(metadata)
