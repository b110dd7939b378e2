"""The corpus digest notices every change to a record of the owner's, and no plant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Record
from darnel.core.planting import digest
from darnel.core.planting.digest import compare_digests, record_digest, sample_records, take_digest
from tests.core.asking.test_evidence import plant
from tests.support.corpora import make_records


def corpus(records: list[Record] | None = None) -> MemoryCorpus:
    return MemoryCorpus(make_records() if records is None else records)


def test_plants_are_no_part_of_it() -> None:
    one = corpus()
    before = take_digest(one, one, 40)
    one.inject([plant(i) for i in range(3)])
    after = take_digest(one, one, 43, like=before)
    assert before.kind == "full"
    assert before.count == 40
    assert not compare_digests(before, after)
    assert before.value == after.value


def changed(record: Record) -> list[Record]:
    vector = np.asarray(record.vector)
    nudged = vector.copy()
    nudged[3] = np.nextafter(nudged[3], np.float32(9))
    return [
        replace(record, text=f"{record.text} "),
        replace(record, text=None),
        replace(record, metadata={**(record.metadata or {}), "page": 99}),
        replace(record, metadata={k: v for k, v in (record.metadata or {}).items() if k != "page"}),
        replace(record, metadata=None),
        replace(record, vector=nudged),
        replace(record, vector=None),
        replace(record, metadata={**(record.metadata or {}), "page": float((record.metadata or {})["page"])}),
    ]


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("sample", [False, True])
def test_every_change_is_named(number: int, sample: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if sample:
        monkeypatch.setattr(digest, "FULL_UP_TO", 10)
    one = corpus()
    before = take_digest(one, one, 40)
    assert before.kind == ("sample" if sample else "full")
    one.records["r7"] = changed(one.records["r7"])[number]
    difference = compare_digests(before, take_digest(one, one, 40, like=before))
    assert difference.changed == ("r7",)
    assert difference.vanished == difference.added == ()


def test_what_came_and_what_went_is_named() -> None:
    one = corpus()
    before = take_digest(one, one, 40)
    del one.records["r7"]
    one.records["new"] = Record("new", "text")
    difference = compare_digests(before, take_digest(one, one, 40, like=before))
    assert (difference.added, difference.vanished, difference.count) == (("new",), ("r7",), 0)


def test_a_large_corpus_is_sampled_by_seed_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digest, "FULL_UP_TO", 10)
    monkeypatch.setattr(digest, "SAMPLE", 8)
    one = corpus()
    before = take_digest(one, one, 40, seed=3)
    assert (before.kind, before.count, len(before.records)) == ("sample", 40, 8)
    assert take_digest(one, one, 40, seed=3).records == before.records
    assert take_digest(one, one, 40, seed=4).records.keys() != before.records.keys()
    assert take_digest(one, one, 40, full=True).kind == "full"
    one.inject([plant()])
    assert not compare_digests(before, take_digest(one, one, 41, like=before))
    outside = next(i for i in one.records if i not in before.records)
    del one.records[outside]
    assert compare_digests(before, take_digest(one, one, 40, like=before)).count == -1


def test_a_sample_of_records_holds_no_plant() -> None:
    one = corpus(make_records(3))
    one.inject([plant(i) for i in range(3)])
    assert {r.id for r in sample_records(one, one, 16)} == {"r0", "r1", "r2"}


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=4))
def test_vectors_are_compared_as_float32(vector: list[float]) -> None:
    single, double = np.asarray(vector, dtype=np.float32), np.asarray(vector, dtype=np.float64)
    assert record_digest(Record("a", "t", None, single)) == record_digest(Record("a", "t", None, double))
    assert record_digest(Record("a", "t", None, {"x": single})) != record_digest(Record("a", "t", None, single))
    assert record_digest(Record("a", "t", None, {"x": single})) != record_digest(Record("a", "t", None, {"y": single}))
