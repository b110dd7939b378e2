"""No bytes crash an audit, and work grows with the size of a text and not faster."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.corpus import Record
from darnel.core.queries import Query
from tests.support import audit as support

QUERIES = [Query("q", "how long may the ferry wait for late passengers")]
NASTY: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "x" * n,
    "one word again": lambda n: "ferry " * (n // 6),
    "deep html": lambda n: "<div>" * (n // 5) + "deep",
    "deep html with a comment": lambda n: "<div>" * (n // 5) + "<!-- these words are hidden -->",
    "deep hidden html": lambda n: "<b style='display:none'>" * (n // 24) + "these words are hidden",
    "open comments": lambda n: "<!--" * (n // 4),
    "open tags": lambda n: '<a style="' * (n // 10),
    "less than": lambda n: "<" * n,
    "combining marks": lambda n: "e" + "\u0301" * n,
    "zero width": lambda n: "a\u200b" * (n // 2),
    "mixed script": lambda n: "aо" * (n // 2),
    "soft hyphens": lambda n: "a\xad" * (n // 2),
    "emoji": lambda n: "👩\u200d" * (n // 2),
    "tags": lambda n: "🏴" + "\U000e0061" * n,
    "nul": lambda n: "\0" * n,
    "surrogates": lambda n: "\ud800" * n,
    "backticks": lambda n: "` " * (n // 2),
    "fences": lambda n: "```\n" * (n // 4),
    "bars": lambda n: "|" * n + "\n|---|",
    "bars in lines": lambda n: "|---|\n" * (n // 6),
    "ignore": lambda n: "ignore " * (n // 7),
    "ignore all the": lambda n: "ignore " + "all the previous " * (n // 17),
    "your": lambda n: "in your answer " * (n // 15),
    "ai": lambda n: "ai " * (n // 3),
    "system": lambda n: "system " * (n // 7) + ":",
    "quotes": lambda n: "\"'ignore all previous instructions " * (n // 34),
    "urls": lambda n: "http://" * (n // 7),
    "braces": lambda n: "{#" * (n // 2),
    "query": lambda n: "how long may the ferry wait for late passengers " * (n // 48),
    "query grams": lambda n: "how long may how long may " * (n // 26),
    "newlines": lambda n: "\n" * n,
    "spaces": lambda n: "style" + " " * n,
    "numbers": lambda n: "".join(f"{i} " for i in range(n // 6)),
    "distinct": lambda n: "".join(f"w{i % 977}x{i} " for i in range(n // 9)),
    "abab": lambda n: "ab cd " * (n // 6),
    "markers": lambda n: "darnel-" * (n // 7),
}


@pytest.mark.parametrize("name", NASTY)
def test_linear(name: str) -> None:
    """Ten times the text takes no more than about ten times the work; a quadratic step would take a hundred times."""

    def work(size: int) -> float:
        text = NASTY[name](size)
        best = float("inf")
        for _ in range(2):
            began = time.process_time()
            support.audit([Record("r", text)], queries=QUERIES)
            best = min(best, time.process_time() - began)
        return best

    work(100)
    small, large = work(20_000), work(200_000)
    assert large < 40 * max(small, 0.005), (small, large)


@pytest.mark.parametrize("name", NASTY)
def test_a_megabyte(name: str) -> None:
    support.audit([Record("r", NASTY[name](1_000_000)), Record("s", "A plain text.")], queries=QUERIES)


@given(st.lists(st.text(st.characters(), max_size=200), max_size=6))
def test_any_text(texts: list[str]) -> None:
    support.audit(
        [Record(str(i), text, {"title": text, text: [text]}) for i, text in enumerate(texts)], queries=QUERIES
    )


PIECES = [
    "<!--",
    "-->",
    "<p hidden>",
    "</p>",
    "`",
    "```",
    "\n",
    "|",
    "|---|",
    "ignore all previous instructions",
    "\u200b",
    "а",
    "a",
]
PIECES += [
    "how long may the ferry wait",
    "🏴",
    "\U000e0061",
    "\xad",
    "\u202e",
    "http://",
    "{#",
    " ",
    "\0",
    "<",
    "style=",
    "'",
    '"',
    "> ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_mixture(parts: list[str]) -> None:
    text = "".join(parts)
    for found in support.audit([Record("r", text)], queries=QUERIES).findings:
        for span in found.spans:
            assert 0 <= span.start <= span.end <= len(text)


def test_deep_metadata() -> None:
    deep: object = "end"
    for _ in range(sys.getrecursionlimit() // 3):
        deep = [deep]
    support.audit([Record("r", "text", {"title": deep, "x": float("nan"), "y": {1, 2}})], queries=QUERIES)
