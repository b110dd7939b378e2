"""The lists that came back can be put together again from the document, whatever came back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from darnel.core.asking.ranking import Entry, Listing
from darnel.core.asking.waves import Answer, WaveResult
from darnel.core.corpus import Source
from darnel.core.queries import Query
from darnel.core.results import Observation, ReturnedList
from darnel.core.scoring.returned import places_of, set_in, unlike_baseline
from tests.core.asking.test_evidence import plant

DEPTH = 6
PLANT = plant(0)


def test_plants_are_set_in_at_their_places() -> None:
    assert set_in(["a", "b", "c"], {1, 3}, 10) == [None, "a", None, "b", "c"]
    assert set_in(["a", "b", "c"], {1, 3}, 3) == [None, "a", None]
    assert set_in(["a", "b", "c"], set(), 10) == ["a", "b", "c"]


ids = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=DEPTH)


@given(ids, st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), max_size=DEPTH))
def test_a_document_gives_every_list_back(baseline: list[str], came: list[str | None]) -> None:
    entries = tuple(Entry(Source(), (PLANT,), "id") if id_ is None else Entry(Source(id_)) for id_ in came)
    query = Query("q", "text")
    wave = WaveResult([Answer("echo:1", query, (PLANT,), Listing(entries, 0, True), None)])
    rows = [
        Observation("echo:1", "q", "p", "m", "retrieved", "retrieved", place, place, "id")
        for place, id_ in enumerate(came, 1)
        if id_ is None
    ]
    kept = unlike_baseline([wave], {"q": baseline}, rows, DEPTH)
    if kept:
        assert kept == [ReturnedList("echo:1", "q", came)]
    else:
        assert set_in(baseline, places_of(rows).get(("echo:1", "q"), set()), DEPTH) == came


def test_a_list_that_is_the_baseline_with_plants_is_not_kept() -> None:
    entries = (Entry(Source("a")), Entry(Source(), (PLANT,), "id"), Entry(Source("b")))
    wave = WaveResult([Answer("echo:1", Query("q", "t"), (PLANT,), Listing(entries, 0, True), None)])
    rows = [Observation("echo:1", "q", "p", "m", "retrieved", "retrieved", 2, 2, "id")]
    assert unlike_baseline([wave], {"q": ["a", "b"]}, rows, DEPTH) == []
    assert unlike_baseline([wave], {"q": ["b", "a"]}, rows, DEPTH) == [ReturnedList("echo:1", "q", ["a", None, "b"])]
