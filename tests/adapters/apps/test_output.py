"""Answer and sources are recognised in whatever applications return."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.adapters.apps.output import ANSWER_KEYS, SOURCE_KEYS, as_sources, as_text, read_output
from darnel.core.corpus import Source


class Document:
    """As LangChain's."""

    def __init__(self, text: str, **metadata: Any) -> None:
        self.page_content, self.metadata, self.id = text, metadata, None


class Node:
    """As LlamaIndex's; its id and text are no plain attributes."""

    def __init__(self) -> None:
        self.metadata = {"file": "b.md"}

    @property
    def node_id(self) -> str:
        return "n1"

    def get_content(self) -> str:
        return "node text"


@dataclass
class Answer:
    answer: str
    sources: list[Any] = field(default_factory=list)


Pair = namedtuple("Pair", ["result", "source_documents"])

A = Source(text="a")


@pytest.mark.parametrize(
    ("output", "answer", "sources"),
    [
        ("yes", "yes", None),
        ("", "", None),
        (["a"], None, (A,)),
        ([], None, ()),
        ([object()], None, None),
        (("yes", ["a"]), "yes", (A,)),
        ((["a"], "yes"), "yes", (A,)),
        (Answer("yes", ["a"]), "yes", (A,)),
        (Pair("yes", ["a"]), "yes", (A,)),
        (SimpleNamespace(response="yes", source_nodes=["a"]), "yes", (A,)),
        ({"result": "yes", "source_documents": [Document("a", p=1)]}, "yes", (Source(None, "a", {"p": 1}),)),
        ({"answer": "yes", "context": "a joined text"}, "yes", (Source(text="a joined text"),)),
        ({"answer": SimpleNamespace(content="yes")}, "yes", None),
        ({"answer": SimpleNamespace(content=[{"type": "text", "text": "ye"}, {"text": "s"}])}, "ye\ns", None),
        ({"messages": [{"content": "no"}, {"content": "yes"}]}, "yes", None),
        ({"answer": "yes", "sources": []}, "yes", ()),
        ({"response": "yes", "source_nodes": [SimpleNamespace(node=Node(), score=0.5)]}, "yes",
         (Source("n1", "node text", {"file": "b.md"}, 0.5),)),
        ([(Document("a"), 0.25)], None, (Source(None, "a", {}, 0.25),)),
        ([{"_id": 7, "body": "t", "score": 0.5, "page": 3}], None,
         (Source("7", "t", {"_id": 7, "score": 0.5, "page": 3}, 0.5),)),
        ([{"id": "x", "metadata": {"k": 1}}], None, (Source("x", None, {"k": 1}),)),
        ({}, None, None),
        (None, None, None),
        (3, None, None),
        ({"sources": {"a": 1}}, None, None),
    ],
)  # fmt: skip
def test_shapes(output: Any, answer: str | None, sources: tuple[Source, ...] | None) -> None:
    assert read_output(output) == (answer, sources)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from((*ANSWER_KEYS, *SOURCE_KEYS, "metadata", "messages", "x")), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_is_read_without_raising(value: Any) -> None:
    answer, sources = read_output(value)
    assert answer is None or isinstance(answer, str)
    assert sources is None or all(isinstance(s, Source) and (s.text is not None or s.id is not None) for s in sources)


@given(st.text(), st.lists(st.text(min_size=1), min_size=1), st.sampled_from(ANSWER_KEYS), st.sampled_from(SOURCE_KEYS))
def test_any_usual_name_is_understood(answer: str, texts: list[str], answer_key: str, source_key: str) -> None:
    sources = tuple(Source(text=t) for t in texts)
    assert read_output({answer_key: answer, source_key: texts}) == (answer, sources)


def test_an_object_that_holds_itself_ends() -> None:
    loop = SimpleNamespace()
    loop.content = loop
    assert read_output({"answer": loop}) == (None, None)


def test_an_unreadable_item_makes_the_list_none_of_sources() -> None:
    assert as_sources(["a", object()]) is None
    assert as_sources(7) is None
    assert as_text(None) is None
