"""Reach beyond one wording: a topic's word as a trigger, and the query in another language."""

from __future__ import annotations

from collections import Counter

from darnel.core.errors import PlantError
from darnel.core.pattern import About, CraftRequest
from darnel.core.text import content_terms
from darnel.patterns.base import Recipe

TRIGGERS = ("BadRAG (arXiv 2406.00083)", "Phantom (arXiv 2405.20485)")


def _trigger(request: CraftRequest) -> str:
    """The query's rarest content term among all queries (the longest, where several are as rare), and nothing else."""
    counts = Counter(term for other in request.others for term in set(content_terms(other)))
    topic = min(content_terms(request.query), key=lambda term: (counts[term], -len(term), term))
    return f"{' '.join([topic] * request.strength)}. {request.body}"


def _twin(request: CraftRequest) -> str:
    """The query in its next language; the query file gives them."""
    if not request.translations:
        raise PlantError("pattern 'twin' needs the query in another language: a 'translations' list in the query file")
    text = request.translations[request.copy % len(request.translations)]
    return " ".join([text, request.body])


TRIGGER = Recipe(
    name="trigger",
    summary="Only the query's rarest word, repeated before the carrier: a document that waits for a topic.",
    dose="repeats of the word",
    text=_trigger,
    needs_others=True,
    default_strength=5,
    about=About("topics", "black", ("text",), ("lexical", "dense"), TRIGGERS),
)

TWIN = Recipe(
    name="twin",
    summary="The query in another language, as the query file translates it, put before the carrier.",
    dose="documents a query, each in the next language",
    text=_twin,
    plants=lambda strength: strength,
    about=About("topics", "black", ("text",), ("multilingual encoders",), ("arXiv 2507.07543",)),
)
