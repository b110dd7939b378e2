"""The same corpus gives the same findings, whatever the order and the size of its batches."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from darnel.core.corpus import Record
from darnel.core.queries import Query
from tests.support import audit as support
from tests.support import corpora
from tests.support.embedder import embed

QUERY = "How long may a ferry wait for late passengers in bad weather?"
DOSES = ("echo:3", "keywords:5", "comment:1", "css:1", "zero-width:1", "homoglyph:1", "title:1", "tags:5", "dilute:200")


def corpus() -> list[Record]:
    planted = []
    for number, dose in enumerate(DOSES):
        made, _ = support.plant(dose, QUERY)
        planted.append(
            Record(f"plant-{number}", made.text, made.metadata, embed("swapped" if number == 0 else made.text))
        )
    flood = [
        Record(f"flood-{i}", f"{QUERY} {support.CARRIER} {i}", None, embed(f"{QUERY} {support.CARRIER} {i}"))
        for i in range(4)
    ]
    same = [Record(f"same-{i}", flood[0].text, None, embed(flood[0].text or "")) for i in range(2)]
    return [*corpora.make_records(60), *planted, *flood, *same]


CORPUS = corpus()
CONTEXT = {"queries": [Query("q", QUERY)], "embed": lambda texts: [embed(t) for t in texts]}
EXPECTED = support.audit(CORPUS, **CONTEXT)


@settings(max_examples=25)
@given(st.randoms(use_true_random=False), st.integers(1, 80))
def test_order_and_batches(drawn: random.Random, batch: int) -> None:
    shuffled = list(CORPUS)
    drawn.shuffle(shuffled)
    found = support.audit(shuffled, batch=batch, **CONTEXT)
    assert found.findings == EXPECTED.findings
    assert found.findings == sorted(found.findings, key=lambda f: f.order)


def test_there_is_something_to_be_stable_about() -> None:
    assert {f.detector for f in EXPECTED.findings} >= {
        *("echo", "repetition", "hidden-text", "hidden-characters", "mixed-script", "fields", "siblings", "reencode"),
    }


@pytest.mark.parametrize("detector", [d.name for d in EXPECTED.detectors])
def test_a_detector_alone_finds_what_it_finds_among_others(detector: str) -> None:
    alone = support.audit(CORPUS, detectors=[detector], **CONTEXT)
    assert alone.findings == [f for f in EXPECTED.findings if f.detector == detector]


def test_ranks() -> None:
    for found in EXPECTED.findings:
        as_high = {f.record for f in EXPECTED.findings if f.detector == found.detector and f.score >= found.score}
        assert found.rank == pytest.approx(len(as_high) / EXPECTED.read, abs=1e-5)
