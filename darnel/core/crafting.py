"""Turn patterns and queries into plants, all of them before the first write, so that a bad one stops nothing halfway."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from darnel.core.corpus import CorpusDescription
from darnel.core.options import RunOptions
from darnel.core.pattern import CraftRequest, Dose
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.queries import Query
from darnel.core.results import PatternInfo
from darnel.core.shape import plant_metadata


@dataclass(frozen=True, slots=True)
class Crop:
    """The plants of one dose: query id → its plants."""

    dose: Dose
    plants: Mapping[str, tuple[Plant, ...]]

    def all(self) -> list[Plant]:
        """Every plant, in query order."""
        return [p for group in self.plants.values() for p in group]

    def info(self) -> PatternInfo:
        """What results say of it."""
        plants, pattern = self.all(), self.dose.pattern
        return PatternInfo(
            label=self.dose.label,
            pattern=pattern.name,
            strength=self.dose.strength,
            dose=pattern.dose,
            summary=pattern.summary,
            control=pattern.is_control,
            plants=len(plants),
            words=round(sum(len(p.text.split()) for p in plants) / len(plants), 1) if plants else 0.0,
            example=plants[0].text if plants else "",
        )


def craft(
    dose: Dose,
    queries: Sequence[Query],
    passages: Mapping[str, Sequence[str]],
    *,
    where: CorpusDescription,
    campaign: str,
    options: RunOptions,
) -> Crop:
    """Craft every plant of one dose.

    Raises:
        PlantError: a text is empty, lacks its marker, or holds what no store keeps.
    """
    crop = {}
    for query in queries:
        crop[query.id] = tuple(
            _craft_one(dose, query, copy, passages.get(query.id, ()), where, campaign, options)
            for copy in range(dose.pattern.copies(dose.strength))
        )
    return Crop(dose, crop)


def _craft_one(
    dose: Dose,
    query: Query,
    copy: int,
    passages: Sequence[str],
    where: CorpusDescription,
    campaign: str,
    options: RunOptions,
) -> Plant:
    name = dose.pattern.name
    marker = make_marker(options.seed, name, dose.strength, query.id, copy)
    request = CraftRequest(
        query=query.text,
        strength=dose.strength,
        copy=copy,
        marker=marker,
        carrier=options.carrier,
        passages=passages,
        random=random.Random(f"{options.seed}/{dose.label}/{query.id}/{copy}"),
    )
    return make_plant(
        identity=where.identity,
        campaign=campaign,
        pattern=name,
        strength=dose.strength,
        query_id=query.id,
        copy=copy,
        marker=marker,
        text=dose.pattern.craft(request),
        metadata=plant_metadata(where.shape, marker, options.metadata),
    )
