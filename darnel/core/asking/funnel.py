"""What became of a plant after the store returned it: delivered, in the prompt, in the answer; and who dropped it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import Reply, Source

APP_STAGES = ("delivered", "in prompt", "in answer")
"""Stages that only an application has, in their order."""
THE_PROMPT = "the prompt"
THE_APP = "the application"


@dataclass(frozen=True, slots=True)
class Reached:
    """Ids of the plants that came to each stage; None where the reply does not show that stage.

    ``dropped``: plant id → the component that no longer passed it on.
    """

    delivered: frozenset[str] | None = None
    in_prompt: frozenset[str] | None = None
    in_answer: frozenset[str] | None = None
    dropped: Mapping[str, str] = field(default_factory=dict)

    def at(self, stage: str) -> frozenset[str] | None:
        """Ids at one of ``APP_STAGES``."""
        return {"delivered": self.delivered, "in prompt": self.in_prompt, "in answer": self.in_answer}[stage]

    def furthest(self, plant_id: str) -> str | None:
        """The last of ``APP_STAGES`` that a plant came to, if any."""
        came = [stage for stage in APP_STAGES if plant_id in (self.at(stage) or ())]
        return came[-1] if came else None


BARE = Reached()


def follow(reply: Reply, index: PlantIndex) -> Reached:
    """Follow the plants of a reply through the application."""
    if reply.delivered is None and reply.prompt is None and reply.answer is None:
        return BARE
    in_prompt = None if reply.prompt is None else index.in_text(reply.prompt)
    in_answer = None if reply.answer is None else index.in_answer(reply.answer)
    delivered = None if reply.delivered is None else _ids(reply.delivered, index) | (in_prompt or frozenset())
    steps = [(step.name, _ids(step.sources, index)) for step in reply.steps]
    dropped: dict[str, str] = {}
    for plant in _ids(reply.sources, index):
        if delivered is not None and plant not in delivered:
            dropped[plant] = _dropped_by(plant, steps)
        elif in_prompt is not None and plant not in in_prompt:
            dropped[plant] = THE_PROMPT
    return Reached(delivered, in_prompt, in_answer, dropped)


def all_sources(reply: Reply) -> tuple[Source, ...]:
    """The sources of a reply, and behind them what was delivered without having been seen in a search."""
    if not reply.delivered:
        return reply.sources
    seen = {s.id for s in reply.sources} | {s.text for s in reply.sources}
    return (*reply.sources, *(s for s in reply.delivered if s.id not in seen and s.text not in seen))


def _ids(sources: Sequence[Source], index: PlantIndex) -> frozenset[str]:
    return frozenset(_plant_ids(sources, index))


def _plant_ids(sources: Sequence[Source], index: PlantIndex) -> Iterator[str]:
    for source in sources:
        if match := index.match(source):
            yield from (plant.id for plant in match.plants)


def _dropped_by(plant: str, steps: Sequence[tuple[str, Set[str]]]) -> str:
    """The first component that did not pass it on, after the last that did."""
    after = max((number for number, (_name, ids) in enumerate(steps) if plant in ids), default=-1) + 1
    return steps[after][0] if after < len(steps) else THE_APP
