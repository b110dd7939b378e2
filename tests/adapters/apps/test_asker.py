"""An application asked from outside: what it prints, and the proof that what it retrieves is seen."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.adapters.apps.asker import WORDS_ASKED, AppAsker, shows
from darnel.adapters.apps.options import AppOptions, fill
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import CaptureProof, Record, Reply, Source
from darnel.core.errors import UsageError
from tests.support.corpora import make_records

RECORDS = make_records(10)
OPTIONS = AppOptions(jobs=2, timeout=20, retries=0)


def asker(call: Callable[[str], Reply], records: Sequence[Record] = RECORDS, **settings: Any) -> AppAsker:
    return AppAsker(call, OPTIONS, MemoryCorpus(records), **settings)


def honest(question: str) -> Reply:
    return MemoryCorpus(RECORDS).retrieve([question], 4)[0]


def test_it_is_a_proof_of_capture() -> None:
    assert isinstance(asker(honest), CaptureProof)
    assert asker(honest).prove_capture(RECORDS[:5]) is None


def test_one_known_document_that_comes_back_is_enough_and_ends_the_proof() -> None:
    asked = []

    def call(question: str) -> Reply:
        asked.append(question)
        return honest(question)

    assert asker(call).prove_capture(RECORDS[:5]) is None
    assert len(asked) == 1
    assert len(asked[0].split()) <= WORDS_ASKED


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda _q: Reply(), "of 5 known documents none was seen to come back; look here"),
        (lambda _q: Reply(answer="I do not know", sources=(), searched=True), "of 5 known documents none"),
        (lambda _q: Reply(error="ValueError: no"), "the application failed when asked for a known document: ValueError: no"),
        (lambda _q: Reply(sources=(Source("elsewhere", "other"),)), "what the application retrieves is not in this corpus"),
    ],
)  # fmt: skip
def test_why_nothing_can_be_seen(call: Callable[[str], Reply], why: str) -> None:
    said = asker(call, advice="look here").prove_capture(RECORDS[:5])
    assert said is not None and said.startswith(why)


def test_an_application_that_is_weak_at_finding_still_shows_this_corpus() -> None:
    assert asker(lambda _q: Reply(sources=(Source("r9"),))).prove_capture(RECORDS[:5]) is None


def test_an_application_that_shows_only_answers_can_be_watched_by_them() -> None:
    answering = lambda _q: Reply(answer="A bird.")  # noqa: E731
    assert asker(answering, answers_suffice=True).prove_capture(RECORDS[:5]) is None
    assert asker(answering).prove_capture(RECORDS[:5]) is not None
    no_sources = asker(lambda _q: Reply(answer="A bird.", searched=True), answers_suffice=True)
    assert no_sources.prove_capture(RECORDS[:5]) is not None


def test_what_was_delivered_counts_as_seen() -> None:
    assert asker(lambda q: Reply(delivered=honest(q).sources)).prove_capture(RECORDS[:1]) is None


def test_a_corpus_without_texts_and_an_application_that_is_closed() -> None:
    assert asker(honest).prove_capture([Record("a", None), Record("b", " ")]) == (
        "no record of the corpus has a text to ask for"
    )
    assert asker(honest, closed=lambda: "it pinned its nodes").prove_capture(RECORDS) == "it pinned its nodes"


def test_what_the_application_prints_is_no_data_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    def call(question: str) -> Reply:
        print("thinking", flush=True)
        sys.stdout.write("hard\n")
        return honest(question)

    asker(call).retrieve(["a", "b"], 3)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("thinking") == said.err.count("hard") == 2


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (Source("R1"), False),
        (Source("r1"), True),
        (Source(None, "  The quick brown\n fox jumps over the lazy dog. "), True),
        (Source(None, "brown fox jumps over the lazy dog."), True),
        (Source(None, "lazy dog"), False),
        (Source(None, "Before. The quick brown fox jumps over the lazy dog. After."), True),
        (Source("other", "another text of many words, which is long enough"), False),
        (Source(), False),
    ],
)
def test_a_source_is_a_record_or_a_piece_of_it_or_holds_it(source: Source, same: bool) -> None:
    assert shows(source, Record("r1", "The quick brown fox jumps over the lazy dog.")) is same


def test_a_record_without_a_text_is_known_by_its_id_alone() -> None:
    assert not shows(Source(None, ""), Record("r1", None))
    assert shows(Source("r1", None), Record("r1", None))


@given(
    st.text(),
    st.recursive(st.just("ask {query}!") | st.integers(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)),
)
def test_the_question_goes_into_every_string_and_nothing_else_changes(question: str, template: object) -> None:
    text = json.dumps(template)
    if "{query}" not in text:
        with pytest.raises(UsageError, match="no {query}"):
            fill(text, question)
        return
    assert fill(text, question) == expected(template, question)


def expected(value: object, question: str) -> object:
    if isinstance(value, dict):
        return {k: expected(v, question) for k, v in value.items()}
    if isinstance(value, list):
        return [expected(v, question) for v in value]
    return f"ask {question}!" if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"jobs": 0}, "jobs must be 1 or more"),
        ({"timeout": 0}, "more than 0 seconds"),
        ({"retries": -1}, "retries 0 or more"),
        ({"input": "{query}"}, "cannot read the input"),
        ({"input": '{"q": "x"}'}, "every question would be the same"),
    ],
)
def test_options_that_do_not_hold(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        AppOptions(**settings)
