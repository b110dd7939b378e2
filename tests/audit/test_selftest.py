"""A self-test says what is found of each pattern on a corpus, and writes nothing to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.api.selftest import self_test
from darnel.audit.engine import AuditOptions
from darnel.audit.readers.listed import ListReader
from darnel.audit.selftest.measure import audit_sample
from darnel.core.corpus import Record
from darnel.core.plant import Plant
from tests.support import corpora
from tests.support.embedder import embed

QUERIES = [
    "How long may a ferry wait for late passengers in bad weather?",
    "Which papers does a visitor need to enter the northern harbour?",
]


class ReadOnly(MemoryCorpus):
    def inject(self, plants: Sequence[Plant]) -> None:
        raise AssertionError("it wrote")

    def remove(self, ids: Sequence[str]) -> None:
        raise AssertionError("it removed")


def test_it_finds_what_the_detectors_find_and_says_what_they_do_not() -> None:
    test = self_test([ReadOnly(corpora.make_records())], queries=QUERIES, patterns=["echo:3", "partial:50", "control"])
    rows = {row.pattern: row for row in test.patterns}
    assert rows["echo:3"].recall.value == 1
    assert rows["echo:3"].detectors["repetition"] == rows["echo:3"].plants == 2
    assert rows["echo:3"].recall.n == 2
    assert (rows["echo:3"].recall.low or 1) < 1
    assert rows["partial:50"].recall.value == rows["control:1"].recall.value == 0
    assert test.exit_code == 0
    assert not test.made_up


def test_questions_tell_what_they_add() -> None:
    test = self_test([ReadOnly(corpora.make_records())], queries=QUERIES, patterns=["echo:1"])
    (row,) = test.patterns
    assert (row.recall.value, row.without_questions.value) == (1, 0)


def test_nothing_is_written() -> None:
    corpus = ReadOnly(corpora.make_records())
    before = dict(corpus.records)
    test = self_test([corpus], patterns=["all"])
    assert corpus.records == before
    (source,) = test.sources
    assert source.digest_before is not None
    assert source.digest_before == source.digest_after
    assert source.read == len(before)
    assert test.made_up
    assert next(row for row in test.patterns if row.pattern == "keywords:5").recall.value == 1


def test_vectors_need_the_embedder() -> None:
    def embedder(texts: Sequence[str]) -> Any:
        return [embed(text) for text in texts]

    (bare,) = self_test([ReadOnly(corpora.make_records())], queries=QUERIES, patterns=["swap:1"]).patterns
    assert "--embedder" in bare.not_planted
    (row,) = self_test(
        [ReadOnly(corpora.make_records())], queries=QUERIES, patterns=["swap:1"], embedder=embedder
    ).patterns
    assert row.detectors["reencode"] == row.plants == 2


def test_what_is_flagged_before_planting_is_said() -> None:
    bad = Record("bad", "ferry times " * 20)
    test = self_test([ReadOnly([*corpora.make_records(), bad])], queries=QUERIES, patterns=["control"])
    assert (test.flagged.hits, test.flagged_by) == (1, {"repetition": 1})


def test_an_empty_corpus_is_no_pass() -> None:
    test = self_test([ReadOnly([])], patterns=["echo:1"])
    assert test.exit_code == 2


@pytest.mark.parametrize("size", [1, 7, 100])
def test_the_sample_does_not_depend_on_the_order(size: int) -> None:
    records = corpora.make_records(40)
    drawn = [
        [r.id for r in audit_sample([ListReader(given)], AuditOptions(), size).sample]
        for given in (records, records[::-1])
    ]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == min(size, 40)
