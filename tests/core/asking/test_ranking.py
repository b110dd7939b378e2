"""Recognising and ranking; a tie always counts against the plant."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import ask, place, recognise
from darnel.core.corpus import Reply, Source
from darnel.core.plant import Plant
from tests.core.asking.test_evidence import plant

ONE, TWO = plant(0), plant(1)
INDEX = PlantIndex([ONE, TWO])


def keep_all(_plant: Plant) -> bool:
    return True


def listing(sources: Sequence[Source], wanted: int = 5, asked: int = 5, keep: object = keep_all) -> object:
    return recognise(Reply(tuple(sources)), INDEX, keep, wanted=wanted, asked=asked)  # type: ignore[arg-type]


scores = st.lists(st.sampled_from([0.9, 0.8, 0.8000001, 0.5]), min_size=1, max_size=12)


@given(scores, st.data())
def test_the_rank_is_that_of_the_worst_order_among_equals(values: list[float], data: st.DataObject) -> None:
    values = sorted(values, reverse=True)
    at = data.draw(st.integers(0, len(values) - 1))
    sources = [Source(ONE.id if i == at else f"r{i}", score=v) for i, v in enumerate(values)]
    found = place(listing(sources), ONE)  # type: ignore[arg-type]
    assert found is not None
    not_better = sum(1 for v in values if v > values[at] or abs(v - values[at]) < 1e-6)
    assert found.rank == not_better
    assert found.position == at + 1 <= found.rank


def test_without_scores_the_order_stands() -> None:
    found = place(listing([Source("r0"), Source(ONE.id), Source("r1")]), ONE)  # type: ignore[arg-type]
    assert found is not None and (found.rank, found.position) == (2, 2)


def test_other_plants_of_the_list_are_no_ties() -> None:
    found = place(listing([Source(ONE.id, score=1.0), Source(TWO.id, score=1.0)]), ONE)  # type: ignore[arg-type]
    assert found is not None and found.rank == 1


def test_plants_that_must_not_compete_leave_the_list() -> None:
    stranger = plant(2, campaign="20260101-000000-zz")
    sources = [Source(TWO.id), Source(stranger.id, None, stranger.metadata), Source("r0"), Source(ONE.id)]
    found = listing(sources, keep=lambda p: p.id == ONE.id)
    assert [e.source.id for e in found.entries] == ["r0", ONE.id]  # type: ignore[attr-defined]
    assert found.dropped == 2  # type: ignore[attr-defined]
    placed = place(found, ONE)  # type: ignore[arg-type]
    assert placed is not None and placed.rank == 2


class Crowded:
    """Answers with ``crowd`` plants of others before the owner's records."""

    def __init__(self, crowd: int, own: int) -> None:
        self.sources = [Source(f"x{i}", None, plant(i, campaign="20260101-000000-zz").metadata) for i in range(crowd)]
        self.sources += [Source(f"r{i}") for i in range(own)]
        self.asked: list[int] = []

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self.asked.append(k)
        return [Reply(tuple(self.sources[:k])) for _ in queries]


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 20))
def test_a_crowded_list_is_asked_deeper_until_it_is_as_long_as_wanted(crowd: int, own: int, depth: int) -> None:
    retriever = Crowded(crowd, own)
    (found,) = ask(retriever, ["q"], INDEX, [keep_all], depth=depth)
    assert found.complete
    assert found.ids(depth) == [f"r{i}" for i in range(min(own, depth))]


def test_a_list_that_cannot_be_asked_deeper_says_that_it_is_incomplete() -> None:
    (found,) = ask(Crowded(9, 9), ["q"], INDEX, [keep_all], depth=5, deepen=False)
    assert not found.complete
