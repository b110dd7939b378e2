"""Plants for tests, made as a campaign makes them: ids, markers and metadata for the container they go into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from darnel.core.corpus import CorpusDescription
from darnel.core.plant import KIT_KEY, STAMP_KEY, MetaValue, Plant, make_marker, make_plant
from darnel.core.planting.shape import plant_metadata

PATTERN = "conformance"
SUBJECTS = ("harbour", "orchard", "lantern", "glacier", "saffron", "walnut", "compass", "meadow")


def make_plants(
    where: CorpusDescription,
    campaign: str,
    count: int = 5,
    *,
    first: int = 0,
    text: str | None = None,
    metadata: Mapping[str, MetaValue] | None = None,
) -> list[Plant]:
    """``count`` plants with metadata learned from ``where``; ``metadata`` is set on top, ``text`` put before the marker."""
    return [_make(where, campaign, number, text, metadata) for number in range(first, first + count)]


def changed(plant: Plant, *, text: str | None = None, metadata: Mapping[str, MetaValue] | None = None) -> Plant:
    """The same plant (id, name, marker) with other content. ``metadata``: all of it, without the kit's own keys."""
    own = {k: v for k, v in plant.metadata.items() if k not in (KIT_KEY, STAMP_KEY)}
    made = make_plant(
        identity="",
        campaign=plant.campaign,
        pattern=plant.pattern,
        strength=plant.strength,
        query_id=plant.query_id,
        copy=plant.copy,
        marker=plant.marker,
        text=plant.text if text is None else f"{text} {plant.marker}",
        metadata=own if metadata is None else metadata,
    )
    return replace(made, id=plant.id)


def ids_of(plants: Sequence[Plant]) -> list[str]:
    """Their ids, in order."""
    return [plant.id for plant in plants]


def _make(
    where: CorpusDescription, campaign: str, number: int, text: str | None, metadata: Mapping[str, MetaValue] | None
) -> Plant:
    marker = make_marker(0, campaign, number)
    subject = SUBJECTS[number % len(SUBJECTS)]
    own = f"A harmless note number {number} about the {subject} of {campaign}." if text is None else text
    return make_plant(
        identity=where.identity,
        campaign=campaign,
        pattern=PATTERN,
        strength=1,
        query_id=f"q{number}",
        copy=0,
        marker=marker,
        text=f"{own} {marker}",
        metadata=plant_metadata(where.shape, marker, metadata),
    )
