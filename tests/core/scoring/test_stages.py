"""What a stage says where not all of a query's plants were there to be retrieved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import recognise
from darnel.core.asking.waves import Answer
from darnel.core.corpus import Reply, Source
from darnel.core.options import RunOptions
from darnel.core.planting.campaign import Planting
from darnel.core.queries import Query
from darnel.core.scoring.observe import observe
from tests.core.asking.test_evidence import plant

ONE, TWO = plant(0), plant(1)
OWN = Source("r0", "own")
SHOWING = Reply((OWN,), (OWN,), "prompt", "answer", searched=True)


def stages(reply: Reply, *visible: str) -> dict[str, bool | None]:
    listing = recognise(reply, PlantIndex([ONE, TWO]), lambda _p: True, wanted=5, asked=5)
    planting = Planting(frozenset(visible), frozenset(), 0.0)
    answer = Answer("echo:1", Query("q", "text"), (ONE, TWO), listing, planting)
    _rows, outcome = observe(answer, RunOptions(k=5))
    return {stage: outcome.stages[stage] for stage in ("retrieved", "delivered", "in prompt", "in answer")}


def test_all_there_and_none_came() -> None:
    assert stages(SHOWING, ONE.id, TWO.id) == dict.fromkeys(("retrieved", "delivered", "in prompt", "in answer"), False)


def test_one_was_not_there_so_it_cannot_be_told() -> None:
    assert set(stages(SHOWING, ONE.id).values()) == {None}


def test_what_came_is_a_fact_whatever_became_of_its_sibling() -> None:
    reply = replace(SHOWING, delivered=(Source(ONE.id),), prompt=ONE.text)
    assert stages(reply, ONE.id) == {"retrieved": True, "delivered": True, "in prompt": True, "in answer": None}


@pytest.mark.parametrize(
    ("reply", "in_answer"),
    [(Reply(answer="no"), False), (Reply(answer=ONE.text), True), (Reply(error="gone"), None), (Reply(), None)],
)
def test_an_answer_alone(reply: Reply, in_answer: bool | None) -> None:
    found = stages(reply, ONE.id, TWO.id)
    assert found["in answer"] is in_answer
    assert found["retrieved"] is (True if in_answer else None)
    assert found["delivered"] is found["in prompt"] is None
