"""The memory adapter: files, rankers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import darnel
from darnel.adapters.memory import BM25Ranker, CappedCountRanker, DenseRanker, MemoryCorpus
from darnel.core.corpus import Record
from darnel.core.errors import TargetError, UnknownNameError, UsageError
from darnel.core.text import content_words
from darnel.embedders.resolve import resolve_embedder
from tests.support.command import HASHED
from tests.support.embedder import hashed

TEXTS = ["key key key door", "key door", "door hinge lock", "", "the of and", "door door door door door"]


def test_a_beir_corpus_or_its_folder_is_opened(tmp_path: Path) -> None:
    rows = [
        {"_id": "a", "title": "Key", "text": "by the door"},
        {"_id": 2, "text": "pay", "metadata": {"tenant": "acme"}},
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(json.dumps(r) for r in rows) + "\n\n")
    for where in ("corpus.jsonl", "."):
        target = darnel.open_target(f"memory:{where}")
        found = target.injector.read(["a", "2"])
        assert found["a"] == Record("a", "by the door", {"title": "Key"})
        assert found["2"] == Record("2", "pay", {"tenant": "acme"})
        assert target.retriever is not None
        assert target.retriever.retrieve(["key"], 5)[0].sources[0].id == "a"  # the title counts
        assert target.injector.describe().capabilities.volatile


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n', ":2: record id 'a' stands twice"),
        (b'{"_id": "a", "text": "x"}\n{"text": "y"}\n', ":2: expected a JSON object with _id and text"),
        (b'{"_id": "a", "text": "x"}\nnonsense\n', ":2: expected a JSON object"),
        (b'["a"]\n', ":1: expected a JSON object"),
        (b'{"_id": "a", "text": "\xff"}\n', "cannot read the corpus"),
    ],
)
def test_a_broken_corpus_names_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(content)
    with pytest.raises(TargetError, match=message):
        darnel.open_target("memory:corpus.jsonl")


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "x"}')
    with pytest.raises(TargetError, match="cannot read the corpus"):
        darnel.open_target("memory:nope.jsonl")
    with pytest.raises(UnknownNameError, match="did you mean 'bm25'"):
        darnel.open_target("memory:corpus.jsonl#bm52")
    with pytest.raises(UsageError, match="needs an embedder; add for instance --embedder wordllama"):
        darnel.open_target("memory:corpus.jsonl#dense")
    with pytest.raises(UsageError, match="is no file"):
        darnel.open_target("memory:http://localhost/corpus.jsonl")
    assert darnel.open_target("memory:corpus.jsonl#dense", embedder=HASHED).injector.describe().dimension == 32


def test_bm25_is_the_formula() -> None:
    ranker = BM25Ranker()
    ranker.fit(TEXTS)
    (scores,) = ranker.scores(["key"])
    docs = [content_words(t) for t in TEXTS]
    mean = sum(map(len, docs)) / len(docs)
    idf = np.log(1 + (len(docs) - 2 + 0.5) / (2 + 0.5))
    for words, score in zip(docs, scores, strict=True):
        tf = words.count("key")
        assert score == pytest.approx(idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(words) / mean)), rel=1e-5)
    assert not ranker.scores(["unheard of"])[0].any()


@given(st.lists(st.sampled_from(["key", "door", "lock", "the"]), max_size=8), st.integers(1, 4))
def test_counts_are_capped(words: list[str], cap: int) -> None:
    ranker = CappedCountRanker(cap)
    ranker.fit([" ".join(words)])
    assert ranker.scores(["the key key door"])[0][0] == sum(min(words.count(w), cap) for w in ("key", "door"))


def test_dense_ranks_by_cosine() -> None:
    ranker = DenseRanker(resolve_embedder(hashed))
    ranker.fit(TEXTS)
    scores = ranker.scores(["key door", "door hinge lock"])
    assert scores.shape == (2, len(TEXTS))
    assert scores[0][1] == pytest.approx(1, abs=1e-6)
    assert scores[1].argmax() == 2
    assert np.abs(scores).max() <= 1 + 1e-6


def test_what_shares_nothing_is_not_returned_and_ties_keep_their_order() -> None:
    corpus = MemoryCorpus([Record(f"r{i}", t) for i, t in enumerate(["key", "key", "door", "key"])])
    (reply,) = corpus.retrieve(["key"], 10)
    assert [s.id for s in reply.sources] == ["r0", "r1", "r3"]
    assert MemoryCorpus().retrieve(["key"], 3)[0].sources == ()


def test_a_change_of_the_records_is_seen_by_the_next_question() -> None:
    corpus = MemoryCorpus([Record("a", "key")])
    assert [s.id for s in corpus.retrieve(["lock"], 3)[0].sources] == []
    corpus.records["b"] = Record("b", "lock")
    assert [s.id for s in corpus.retrieve(["lock"], 3)[0].sources] == ["b"]
