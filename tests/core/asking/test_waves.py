"""How a run is cut into waves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from darnel.core.asking.waves import plan_waves
from darnel.core.corpus import CorpusDescription
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.planting.crafting import Crop, Ground, craft
from darnel.core.queries import Query
from darnel.patterns.controls import CONTROL
from darnel.patterns.flood import FLOOD

WHERE = CorpusDescription("memory", "m", "m-1", 1)


def make_crops(count: int, copies: int) -> tuple[list[Crop], list[Query]]:
    queries = [Query(f"q{n}", f"question {n}") for n in range(count)]
    doses = [Dose(CONTROL, 1), Dose(FLOOD, copies)]
    return [craft(d, Ground(queries, {}, WHERE, "c", RunOptions())) for d in doses], queries


@given(count=st.integers(1, 40), copies=st.integers(1, 7), most=st.none() | st.integers(1, 60))
def test_every_pattern_and_query_is_planted_once_and_no_wave_is_overfull(
    count: int, copies: int, most: int | None
) -> None:
    crops, queries = make_crops(count, copies)
    waves = list(plan_waves(crops, queries, "pattern", most))
    assert [(c.dose.label, q.id) for w in waves for c in w.crops for q in w.queries] == [
        (c.dose.label, q.id) for c in crops for q in queries
    ]
    assert all(len(w.crops) == 1 for w in waves)
    if most is None:
        assert len(waves) == len(crops)
    else:
        assert all(len(w.plants()) <= most or len(w.queries) == 1 for w in waves)


def test_a_query_at_a_time_and_all_together() -> None:
    crops, queries = make_crops(5, 3)
    assert [len(w.queries) for w in plan_waves(crops, queries, "query", 2)] == [1] * 10
    assert [len(w.plants()) for w in plan_waves(crops, queries, "together", 2)] == [5 + 15]
