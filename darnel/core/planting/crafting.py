"""Turn patterns and queries into plants, all of them before the first write, so that a bad one stops nothing halfway."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from darnel.core.corpus import CorpusDescription
from darnel.core.errors import PlantError
from darnel.core.options import RunOptions
from darnel.core.pattern import Crafted, CraftRequest, Dose, copies_of, needs_others
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.shape import plant_metadata
from darnel.core.queries import Query
from darnel.core.results import PatternInfo
from darnel.core.text import content_terms

MOST_OTHERS = 1_000
"""Other queries that a pattern is given at the most: as many as a strength may be."""


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
        base, copies = copies_of(pattern)
        return PatternInfo(
            label=self.dose.label,
            pattern=base,
            strength=self.dose.strength,
            copies=copies,
            dose=pattern.dose,
            summary=pattern.summary,
            control=pattern.is_control,
            plants=len(plants),
            words=round(sum(len(p.text.split()) for p in plants) / len(plants), 1) if plants else 0.0,
            example=plants[0].text if plants else "",
            payload=self.dose.payload.name if self.dose.payload else "",
        )


@dataclass(frozen=True, slots=True)
class Ground:
    """What crafting works on: the run's queries, what the corpus returned for each, and where plants go.

    ``vectors``: gives the vectors of texts, where the corpus takes vectors of ours.
    """

    queries: Sequence[Query]
    passages: Mapping[str, Sequence[str]]
    where: CorpusDescription
    campaign: str
    options: RunOptions
    vectors: Callable[[Sequence[str]], Sequence[Sequence[float]]] | None = None


def craft(dose: Dose, ground: Ground) -> Crop:
    """Craft every plant of one dose.

    Raises:
        PlantError: a text is empty, lacks its marker, or holds what no store keeps, or the pattern cannot be made here.
    """
    near = neighbours(ground.queries) if needs_others(dose.pattern) else {}
    crop = {
        query.id: tuple(
            _craft_one(dose, query, number, near.get(query.id, ()), ground) for number in range(dose.plants)
        )
        for query in ground.queries
    }
    return Crop(dose, crop)


def neighbours(queries: Sequence[Query]) -> dict[str, list[str]]:
    """For each query the others of another text, most shared content terms first (by share of both, then in order); of
    many, the nearest ``MOST_OTHERS``."""
    terms = [frozenset(content_terms(q.text)) for q in queries]
    folded = [q.text.casefold() for q in queries]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(terms):
        for term in found:
            holders[term].append(number)

    def nearest(number: int) -> Iterator[int]:
        shared = Counter(chain.from_iterable(holders[term] for term in terms[number]))
        size = len(terms[number])
        yield from sorted(
            shared, key=lambda other: (-shared[other] / (size + len(terms[other]) - shared[other]), other)
        )
        yield from (other for other in range(len(queries)) if other not in shared)

    return {
        query.id: list(islice((queries[x].text for x in nearest(number) if folded[x] != folded[number]), MOST_OTHERS))
        for number, query in enumerate(queries)
    }


def _craft_one(dose: Dose, query: Query, number: int, others: Sequence[str], ground: Ground) -> Plant:
    """The plant of that number: of each copy that the pattern makes, the parts of its payload follow one another."""
    name, options, payload = dose.pattern.name, ground.options, dose.payload
    parts = payload.parts if payload else 1
    copy, part = divmod(number, parts)
    markers = [_marker(dose, query, copy * parts + each, options.seed) for each in range(parts)]
    request = CraftRequest(
        query=query.text,
        strength=dose.strength,
        copy=copy,
        marker=markers[part],
        carrier=options.carrier,
        passages=ground.passages.get(query.id, ()),
        random=random.Random(f"{options.seed}/{dose.label}/{query.id}/{copy}"),
        others=others,
        translations=query.translations,
        template=ground.where.shape.template,
        says=payload.say(markers, part) if payload else None,
    )
    crafted = dose.pattern.craft(request)
    if isinstance(crafted, str):
        crafted = Crafted(crafted)
    _check_carried(dose, request, crafted)
    return make_plant(
        identity=ground.where.identity,
        campaign=ground.campaign,
        pattern=name,
        strength=dose.strength,
        query_id=query.id,
        copy=number,
        marker=request.marker,
        text=crafted.text,
        metadata=plant_metadata(ground.where.shape, request.marker, {**crafted.metadata, **options.metadata}),
        vector=_mean_vector(crafted.vector_of, name, ground) if crafted.vector_of else None,
        payload=payload.name if payload else "",
        forms=payload.forms if payload else (),
    )


def _marker(dose: Dose, query: Query, number: int, seed: int) -> str:
    said = (dose.payload.name,) if dose.payload else ()
    return make_marker(seed, dose.pattern.name, dose.strength, query.id, number, *said)


def _check_carried(dose: Dose, request: CraftRequest, crafted: Crafted) -> None:
    """Refuse a plant that does not say what it is measured by; only honest text says nothing of a payload's."""
    if request.says is None or dose.payload is None or dose.pattern.is_control:
        return
    if request.says not in crafted.text and request.says not in crafted.metadata.values():
        raise PlantError(
            f"pattern '{dose.pattern.name}' does not carry the payload '{dose.payload.name}' whole; put request.body "
            "({body} in a template) into its text, or leave the payload away"
        )


def _mean_vector(texts: Sequence[str], name: str, ground: Ground) -> list[float]:
    """The mean of unit vectors, at unit length: what lies nearest to all of them by cosine."""
    if ground.vectors is None:
        raise PlantError(f"pattern '{name}' writes vectors of its own, which this target does not take; leave it out")
    import numpy as np

    vectors = np.asarray(ground.vectors(list(texts)), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    mean = (vectors / np.where(lengths == 0, 1, lengths)).mean(axis=0)
    size = float(np.linalg.norm(mean))
    if not size:
        raise PlantError(f"pattern '{name}': the vectors of its texts cancel out; leave it out")
    own = float(lengths.mean())  # as long as the application's own, for stores that compare lengths
    return [float(x) for x in mean / size * own]
