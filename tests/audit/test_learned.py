"""Detectors that learn what a corpus is like: near-clone, hubs, sentinel, unnatural, provenance."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from darnel.audit.detectors.near_clone import Laid, lay_over
from darnel.audit.tokens import numbers_of
from darnel.core.corpus import Record
from darnel.core.queries import Query
from tests.support import audit as support

DRAWN = random.Random(5)
SYLLABLES = [c + v + e for c in "bdfgklmnprst" for v in "aeiou" for e in ("", "n", "r", "s")]
WORDS = ["".join(DRAWN.choices(SYLLABLES, k=DRAWN.choice((1, 2, 2, 3)))) for _ in range(400)]
"""A language of its own, so that texts are as long as they must be."""


def texts(count: int, words: int = 60, seed: int = 0) -> list[str]:
    drawn = random.Random(seed)
    return [
        " ".join(w + "." * (i % 10 == 9) for i, w in enumerate(drawn.choices(WORDS, k=words))) for _ in range(count)
    ]


def records(count: int, **metadata: Any) -> list[Record]:
    return [Record(f"r{i}", text, dict(metadata)) for i, text in enumerate(texts(count))]


def cloned(text: str, insert: str, at: int = 30) -> str:
    words = text.split()
    return " ".join([*words[:at], insert, *words[at:]])


def found(corpus: Sequence[Record], detector: str, **context: Any) -> dict[str, str]:
    return {f.record: f.severity for f in support.audit(corpus, detectors=[detector], **context).findings}


HOST = texts(1, seed=9)[0]


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        (cloned(HOST, "see also the other record"), "medium"),
        (cloned(f"Which ferry leaves at noon? {HOST}", "see also the other record"), "medium"),
        (cloned(" ".join(HOST.split()[:40]), "see also the other record", at=20), "medium"),
        (f"Which ferry leaves at noon? {HOST}", "low"),
        (f"{HOST} Which ferry leaves at noon?", "low"),
    ],
)
def test_a_clone_is_found_and_its_insert_shown(text: str, severity: str) -> None:
    corpus = [*records(40), Record("host", HOST), Record("plant", text), Record("again", text)]
    results = support.audit(corpus, detectors=["near-clone"])
    assert {f.record: f.severity for f in results.findings} == {"plant": severity, "again": severity}
    for finding in results.findings:
        assert "record host" in finding.why
        for span in finding.spans:
            assert text[span.start : span.end] == span.what
            assert span.what not in HOST


@pytest.mark.parametrize(
    "text",
    [
        HOST,
        HOST.upper(),
        f"{HOST} indeed",
        cloned(HOST, "indeed so"),
        " ".join([*HOST.split()[:30], "others", "came", "here", "instead", *HOST.split()[34:]]),  # replaced
        " ".join(["others", "came", "here", "instead", *HOST.split()[4:]]),  # a head of its own
        " ".join(HOST.split()[:12]) + " " + " ".join(texts(1, seed=3)),  # a short quotation
        cloned(cloned(cloned(HOST, "one of these days", 15), "two of these days", 30), "three of these days", 45),
    ],
)
def test_what_is_no_clone(text: str) -> None:
    assert not found([*records(40), Record("host", HOST), Record("other", text)], "near-clone")


def test_where_near_copies_are_usual_few_are_shown() -> None:
    pages = [cloned(text, f"version {word} of it") for text in texts(60, seed=4) for word in ("one", "two")]
    replaced = [Record(f"page-{i}", text.replace("version", f"edition{i % 2}")) for i, text in enumerate(pages)]
    plant = Record("plant", cloned(HOST, "see also the other record"))
    corpus = [*records(100), *replaced, Record("host", HOST), plant]
    assert not found(corpus, "near-clone")
    assert found(corpus, "near-clone", budget=0.1) == {"plant": "low"}


def test_overlays_are_linear_in_the_text() -> None:
    one = numbers_of(["a", "b"] * 100_000)
    assert lay_over(Laid(one), Laid(one[: len(one) // 2])) is None


QUERIES = [Query(f"q{i}", f"question {i}") for i in range(120)]


def spread(text: str) -> Any:
    """A vector drawn for each text, around the middle of its topic: 'topic 3 ...' and 'question 3 ...' share one."""
    number = "".join(c for c in text.split("/", maxsplit=1)[0] if c.isdigit()) or "0"
    topic = np.random.default_rng(int(number) % 10).normal(size=32)
    own = np.random.default_rng(hash_of(text)).normal(size=32)
    return topic + 1.2 * own


def hash_of(text: str) -> int:
    return zlib.crc32(text[::-1].encode())


def embed(of: Sequence[str]) -> list[Any]:
    return [spread(text) for text in of]


def vectored(count: int) -> list[Record]:
    return [
        Record(f"r{i}", f"topic {i % 10}/ text {i}", None, spread(f"topic {i % 10}/ text {i}")) for i in range(count)
    ]


def middle(*numbers: int) -> Any:
    rows = np.array([spread(QUERIES[n].text) for n in numbers])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0)


def test_a_hub_is_found() -> None:
    hub = Record("hub", "a text", None, middle(*range(3, 120, 10)))
    corpus = [*vectored(900), hub]
    assert found(corpus, "hubs", queries=QUERIES, embed=embed) == {"hub": "medium"}
    assert not found(corpus[:-1], "hubs", queries=QUERIES, embed=embed)


def test_hubs_and_sentinels_need_questions_and_an_embedder() -> None:
    for given in ({}, {"queries": QUERIES}, {"queries": QUERIES[:20], "embed": embed}):
        results = support.audit(vectored(20), detectors=["hubs", "sentinel"], **given)
        assert all(d.not_run for d in results.detectors)


def gibberish(seed: int, words: int = 15) -> str:
    drawn = random.Random(seed)
    return " ".join("".join(drawn.choices("bcdfghjklmnpqrstvwxz", k=drawn.randint(3, 8))) for _ in range(words))


def test_unnatural_is_told_by_the_rest_of_the_corpus_and_only_when_asked_for() -> None:
    corpus = records(300)
    odd = Record("odd", f"{corpus[7].text} {gibberish(1)}")
    assert found([*corpus, odd], "unnatural") == {"odd": "low"}
    assert not found([*corpus, Record("foreign", gibberish(2, 90))], "unnatural")  # odd throughout: another language
    assert not found([*corpus[:150], odd], "unnatural")  # too few to say
    assert "unnatural" not in {d.name for d in support.audit(corpus[:3]).detectors}


def test_two_alike_do_not_make_each_other_natural() -> None:
    corpus = records(300)
    pair = [Record(f"odd{i}", f"{corpus[i].text} {gibberish(1 + i)}") for i in range(2)]
    assert set(found([*corpus, *pair], "unnatural")) == {"odd0", "odd1"}


@pytest.mark.parametrize(
    ("metadata", "severity"),
    [
        ({"author": "ann", "year": 2020}, "medium"),
        ({"author": "ann", "year": "2020", "lang": "en"}, "medium"),
        ({"author": "ann", "year": 2020, "lang": "xx"}, "low"),
    ],
)
def test_provenance(metadata: dict[str, Any], severity: str) -> None:
    corpus = [
        Record(f"r{i}", text, {"author": ("ann", "bob")[i % 2], "year": 2020 + i % 3, "lang": "en", "page": f"p{i}"})
        for i, text in enumerate(texts(300))
    ]
    assert not found(corpus, "provenance")
    assert found([*corpus, Record("plant", "text", {**metadata, "page": "p"})], "provenance")["plant"] == severity
    assert not found([*corpus[:100], Record("plant", "text", {**metadata, "page": "p"})], "provenance")
    crowd = [Record(f"plant{i}", "text", {**metadata, "page": "p"}) for i in range(30)]
    assert not found([*corpus, *crowd], "provenance")


@pytest.mark.parametrize("detector", ["near-clone", "hubs", "unnatural", "provenance"])
@pytest.mark.parametrize(("seed", "batch"), [(1, 1), (2, 7), (3, 1_000)])
def test_order_and_batches_do_not_matter(detector: str, seed: int, batch: int) -> None:
    base = [
        Record(r.id, f"{v.text} {r.text}", {"lang": "en"}, v.vector)
        for r, v in zip(records(900), vectored(900), strict=True)
    ]
    odd = Record("odd", f"{base[7].text} {gibberish(1)}", {"lang": "xx"}, middle(*range(3, 120, 10)))
    clone = Record("clone", cloned(base[9].text or "", "see also the other record"), {}, middle(*range(4, 120, 10)))
    corpus = [*base, odd, clone]
    context: dict[str, Any] = {"queries": QUERIES, "embed": embed, "detectors": [detector]}
    expected = support.audit(corpus, **context).findings
    random.Random(seed).shuffle(corpus)
    assert support.audit(corpus, batch=batch, **context).findings == expected
    assert expected
