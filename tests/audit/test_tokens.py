"""Words as numbers say what the words themselves say, and sketches meet where texts are alike."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from darnel.audit.batch import Batch, Row, to_arrow
from darnel.audit.detectors.echo import Index
from darnel.audit.minhash import meeting, shingles_of, sketched
from darnel.audit.prose import HINTS, prose_of
from darnel.audit.tokens import SLIGHT, STOP, Tokens, numbers_of, record_of
from darnel.core.text import stop_words, words

WORDS = ("the", "of", "ferry", "harbour", "lamp", "12", "x", "storm", "waits", "glass")
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=40), min_size=1, max_size=6)


@given(st.text())
def test_words_are_what_a_pattern_of_words_finds(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text.lower())


@given(st.text(st.characters(max_codepoint=127)))
def test_words_of_ascii_too(text: str) -> None:
    assert words(text) == re.findall(r"\w+", text.lower())


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=5))
def test_numbers_are_those_of_the_words(given: list[str]) -> None:
    tokens = Tokens.of(given)
    assert [tokens.numbers[tokens.record == n].tolist() for n in range(len(given))] == [
        numbers_of(words(text)).tolist() for text in given
    ]


@given(texts)
def test_triples(given: list[list[str]]) -> None:
    tokens = Tokens.of([" ".join(t) for t in given])
    naive = [Counter(zip(t, t[1:], t[2:], strict=False)) for t in given]
    assert np.bincount(record_of(tokens.keys), minlength=len(given)).tolist() == [c.total() for c in naive]
    assert np.bincount(record_of(tokens.distinct), minlength=len(given)).tolist() == [len(c) for c in naive]


@given(texts, st.integers(1, 6))
def test_runs(given: list[list[str]], least: int) -> None:
    tokens, stop = Tokens.of([" ".join(t) for t in given]), stop_words()
    naive = [any(not key and len(list(g)) >= least for key, g in groupby(t, lambda w: w in stop)) for t in given]
    assert tokens.runs((tokens.numbers & np.uint64(STOP)) == 0, least).tolist() == naive


@given(texts)
def test_top_counts(given: list[list[str]]) -> None:
    naive = [
        sum(n for _, n in Counter(w for w in t if w not in stop_words() and len(w) > 2).most_common(3)) for t in given
    ]
    assert Tokens.of([" ".join(t) for t in given]).without(STOP | SLIGHT).top_counts(3).tolist() == naive


@given(texts, st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=9), max_size=4), st.booleans())
def test_no_match_is_passed_over(given: list[list[str]], queries: list[list[str]], whole: bool) -> None:
    index = Index(queries, whole=whole)
    near = index.near(Tokens.of([" ".join(t) for t in given]))
    for tokens, is_near in zip(given, near, strict=True):
        assert is_near or not index.matches(tokens)


@given(st.text(st.sampled_from("a`~|\n\t :/{#>$.")))
def test_plain_text_is_told_alike(text: str) -> None:
    """What Arrow's RE2 calls prose throughout is so."""
    batch = Batch(to_arrow([Row("a", text)]))
    assert batch.matching("text", HINTS) == [re.search(HINTS, text) is not None]
    assert batch.entries[0].prose == prose_of(text)


def test_alike_texts_meet_and_others_do_not() -> None:
    drawn = random.Random(0)
    base = [drawn.choices([f"w{i}" for i in range(400)], k=150) for _ in range(200)]
    copies = [[*t[:-4], "another", "ending", "of", str(n)] for n, t in enumerate(base[:50])]
    rows = [Row(str(n), " ".join(t)) for n, t in enumerate([*base, *copies])]
    sketches = sketched(Batch(to_arrow(rows)))
    pairs = {frozenset(pair) for pair in meeting([sketches]).tolist()}
    assert sum({int(sketches.sets[n]), int(sketches.sets[200 + n])} in pairs for n in range(50)) >= 49
    assert len(pairs) <= 50


def test_texts_half_alike_meet_as_often_as_they_should() -> None:
    drawn = random.Random(1)
    pairs, met = 0, 0
    for _ in range(100):
        shared = drawn.choices([f"w{i}" for i in range(900)], k=102)
        one, two = ([*shared, *drawn.choices([f"{side}{i}" for i in range(900)], k=50)] for side in "ab")
        a, b = shingles_of(one), shingles_of(two)
        alike = len(np.intersect1d(a, b)) / len(np.union1d(a, b))
        assert 0.45 < alike < 0.55
        sketches = sketched(Batch(to_arrow([Row("a", " ".join(one)), Row("b", " ".join(two))])))
        pairs, met = pairs + 1, met + len(meeting([sketches]))
    assert 0.45 < met / pairs < 0.8  # 1 - (1 - 1/16)^16 is 0.64


def test_sketches_of_nothing() -> None:
    sketches = sketched(Batch(to_arrow([Row("a", "too short"), Row("b", "")])))
    assert len(sketches.texts) == 0
    assert len(meeting([sketches])) == 0
