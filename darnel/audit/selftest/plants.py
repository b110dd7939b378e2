"""Plants as an attacker would leave them: without a marker, around words of the corpus itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from darnel.audit.detector import Embed
from darnel.core.corpus import Record
from darnel.core.pattern import Crafted, CraftRequest, Dose
from darnel.core.plant import find_markers, make_marker
from darnel.core.planting.crafting import neighbours
from darnel.core.queries import Query
from darnel.core.text import content_terms, sentences

CARRIER_WORDS = 35
"""And no more than half of a record: a whole one would be a copy, and be found as that."""
PASSAGES = 10
"""Texts of the corpus that a pattern may read for a question."""
FEWEST_TERMS = 4
MOST_TERMS = 8

Search = Callable[[Sequence[str], int], Sequence[Sequence[str]]]
"""Questions and how many → for each the texts that a search of these records returns."""


@dataclass(frozen=True, slots=True)
class Plant:
    """A record to be found; ``vector_of``: texts whose mean vector it pretends to, or none."""

    record: Record
    vector_of: Sequence[str]


def made_plants(
    dose: Dose, records: Sequence[Record], queries: Sequence[Query], count: int, search: Search
) -> list[Plant]:
    """Plants of one dose for as many queries as make ``count`` of them; the same every time.

    Each has another record's first words for its carrier; copies for one query share theirs.

    Raises:
        PlantError: the pattern cannot be made of these queries and records.
    """
    drawn = random.Random(dose.label)
    copies = dose.pattern.copies(dose.strength)
    chosen = drawn.sample(list(queries), min(len(queries), max(1, count // copies)))
    near = neighbours(queries)
    passages = search([q.text for q in chosen], PASSAGES)
    titled = any((r.metadata or {}).get("title") for r in records[:50])
    made = []
    for query, texts in zip(chosen, passages, strict=True):
        host = drawn.choice(records).text or ""
        for copy in range(copies):
            host = host if copies > 1 else drawn.choice(records).text or ""
            words = host.split()
            carrier = (
                " ".join(words[: min(CARRIER_WORDS, len(words) // 2)]) or "a short note on another matter entirely"
            )
            request = CraftRequest(
                query=query.text,
                strength=dose.strength,
                copy=copy,
                marker=make_marker(0, dose.label, query.id, copy),
                carrier=lambda marker, text=carrier: f"{text} {marker}",  # type: ignore[misc]  # mypy infers no default
                passages=texts,
                random=random.Random(f"{query.id}/{copy}"),
                others=near[query.id],
                template={"title": ""} if titled else {},
            )
            made.append(_unmarked(dose.pattern.craft(request), f"plant-{query.id}-{copy}"))
    return made


def _unmarked(crafted: str | Crafted, name: str) -> Plant:
    crafted = Crafted(crafted) if isinstance(crafted, str) else crafted
    text = crafted.text
    for found in find_markers(text):
        text = text.replace(found, "entry")
    return Plant(Record(name, text, dict(crafted.metadata)), crafted.vector_of)


def with_vectors(records: Sequence[Record], plants: Sequence[Plant], embed: Embed) -> list[Record]:
    """Records and plants with vectors by ``embed``: each record its text's, each plant the mean of what it pretends to."""
    kept = [r for r in records if r.text]
    vectors = embed([r.text or "" for r in kept])
    held = [Record(r.id, r.text, r.metadata, v) for r, v in zip(kept, vectors, strict=True)]
    pretending = [p for p in plants if p.vector_of]
    return held + [
        Record(p.record.id, p.record.text, p.record.metadata, embed(list(p.vector_of)).mean(axis=0)) for p in pretending
    ]


def questions_about(records: Sequence[Record], count: int) -> list[Query]:
    """Questions on what sentences of the records are about, where nobody gave any."""
    found: list[Query] = []
    for record in records:
        longest = max(sentences((record.text or "")[:4_000]), key=len, default="")
        terms = [term for term in content_terms(longest) if not term.isdigit()][:MOST_TERMS]
        if len(terms) >= FEWEST_TERMS:
            found.append(Query(f"q{len(found)}", f"What is known about {' '.join(terms)}?"))
        if len(found) == count:
            break
    return found
