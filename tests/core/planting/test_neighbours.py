"""Which other queries a pattern is given, against the plain way to find them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.planting import crafting
from darnel.core.planting.crafting import neighbours
from darnel.core.queries import Query
from darnel.core.text import content_terms

WORDS = ["lamp", "Lamp", "boat", "gate", "mill", "the", "of", "rope", "🙂", "7"]
texts = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), min_size=1, max_size=9)


def plainly(queries: list[Query]) -> dict[str, list[str]]:
    terms = {q.id: set(content_terms(q.text)) for q in queries}

    def likeness(a: Query, b: Query) -> float:
        return len(terms[a.id] & terms[b.id]) / (len(terms[a.id] | terms[b.id]) or 1)

    return {
        q.id: [
            other.text
            for other in sorted(queries, key=lambda other: -likeness(q, other))
            if other.text.casefold() != q.text.casefold()
        ]
        for q in queries
    }


@given(texts)
def test_the_nearest_come_first_and_equals_in_order(given_texts: list[str]) -> None:
    queries = [Query(f"q{n}", text) for n, text in enumerate(given_texts)]
    assert neighbours(queries) == plainly(queries)


def test_of_many_only_the_nearest_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crafting, "MOST_OTHERS", 2)
    queries = [Query(f"q{n}", text) for n, text in enumerate(["lamp boat", "gate", "lamp", "mill", "boat lamp rope"])]
    assert neighbours(queries)["q0"] == ["boat lamp rope", "lamp"]
