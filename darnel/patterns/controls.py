"""The two controls that every other pattern is measured against."""

from __future__ import annotations

from darnel.core.errors import PlantError
from darnel.core.pattern import About, CraftRequest
from darnel.core.text import sentences
from darnel.patterns.base import Recipe


def _carrier(request: CraftRequest) -> str:
    return " ".join([request.body] * request.strength)


def _honest(request: CraftRequest) -> str:
    """Sentences of what the corpus returned for the query, one a passage in order, as many words as the carrier has."""
    room = len(request.body.split()) * request.strength - 2
    kept: list[str] = []
    for text in request.passages:
        if len(kept) >= room:
            break  # the rest would be cut off
        if pool := sentences(text):
            kept.extend(request.random.choice(pool).split()[: room - len(kept)])
    if not kept:
        raise PlantError("pattern 'honest' needs the corpus's own sentences and the query returned none; leave it out")
    return f"{' '.join(kept)} Ref {request.marker}"


CONTROL = Recipe(
    name="control",
    summary="The carrier alone, on no topic: whatever is retrieved of it is not the pattern's doing.",
    dose="carriers",
    text=_carrier,
    is_control=True,
    about=About("controls"),
)

HONEST = Recipe(
    name="honest",
    summary="An on-topic passage as long as the carrier, made of the corpus's own sentences: what honest text achieves.",
    dose="carriers' worth of words",
    text=_honest,
    is_control=True,
    about=About("controls"),
    needs_passages=True,
)
