"""What is said of a plant that an application shows its model although it stood deep in what its searches returned."""

from __future__ import annotations

import pytest

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import recognise
from darnel.core.asking.waves import Answer
from darnel.core.corpus import CorpusDescription, Reply, Source
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.planting.campaign import Planting
from darnel.core.planting.crafting import Ground, craft
from darnel.core.queries import Query
from darnel.core.scoring.observe import observe
from darnel.patterns.controls import CONTROL

WHERE = CorpusDescription("memory", "m", "m-1", 1)
OPTIONS = RunOptions(k=4)


@pytest.mark.parametrize("shown", [True, False])
def test_what_a_model_is_shown_was_retrieved_however_deep(shown: bool) -> None:
    query = Query("q1", "a question")
    (plant,) = craft(Dose(CONTROL, 1), Ground([query], {}, WHERE, "c", OPTIONS)).plants["q1"]
    own = [Source(f"r{n}", f"record {n}") for n in range(30)]
    reply = Reply((*own, Source(plant.id, plant.text)), delivered=(), prompt=plant.text if shown else "nothing")
    listing = recognise(reply, PlantIndex([plant]), lambda _p: True, wanted=4, asked=4)
    planting = Planting(frozenset({plant.id}), frozenset(), 0.0)
    (row,), outcome = observe(Answer("control:1", query, (plant,), listing, planting), OPTIONS)
    assert (row.outcome, row.stage) == (("retrieved", "in prompt") if shown else ("not retrieved", "visible"))
    assert outcome.stages["in prompt"] is shown
    assert outcome.stages["retrieved"] is shown
    assert outcome.best is None, "no k that is measured reaches so deep"
