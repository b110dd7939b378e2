from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.core.corpus import CorpusDescription
from darnel.core.errors import PlantError
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.batches import VECTOR_BYTES, batches, check_sizes, chunks


def plants(sizes: list[int]) -> list[Plant]:
    made = []
    for number, size in enumerate(sizes):
        marker = make_marker(0, number)
        made.append(
            make_plant(
                identity="c",
                campaign="x",
                pattern="p",
                strength=1,
                query_id="q",
                copy=number,
                marker=marker,
                text=f"{marker} {'é' * size}",
            )
        )
    return made


def where(
    max_batch: int = 100, max_batch_bytes: int = 10_000, dimension: int | None = 4, text: int | None = None
) -> CorpusDescription:
    return CorpusDescription(
        "memory",
        "m",
        "m",
        1,
        dimension=dimension,
        max_batch=max_batch,
        max_batch_bytes=max_batch_bytes,
        max_text_bytes=text,
    )


@given(st.lists(st.integers(0, 300), max_size=30), st.integers(1, 7), st.integers(1_200, 4_000))
def test_every_plant_is_in_one_batch_within_both_limits(sizes: list[int], count: int, size: int) -> None:
    given_, limits = plants(sizes), where(count, size)
    cut = list(batches(given_, limits))
    assert [p.id for batch in cut for p in batch] == [p.id for p in given_]
    for batch in cut:
        assert 1 <= len(batch) <= count
        assert sum(p.size + 4 * VECTOR_BYTES for p in batch) <= size
    for one, following in itertools.pairwise(cut):  # none is cut short for nothing
        more = sum(p.size + 4 * VECTOR_BYTES for p in [*one, following[0]])
        assert len(one) == count or more > size


def test_a_plant_over_a_limit_is_refused_before_the_first_batch() -> None:
    given_ = plants([1, 1, 6_000])
    with pytest.raises(PlantError, match="plant p:1/q/2 alone is"):
        next(batches(given_, where(max_batch=1)))
    with pytest.raises(PlantError, match=r"plant p:1/q/2 has 12,0\d\d bytes of text and memory takes 4,000"):
        check_sizes(given_, where(max_batch_bytes=100_000, text=4_000))


@given(st.lists(st.integers()), st.integers(1, 5))
def test_chunks_are_the_list(items: list[int], size: int) -> None:
    cut = [list(c) for c in chunks(items, size)]
    assert [i for c in cut for i in c] == items
    assert all(len(c) == size for c in cut[:-1])
