"""Keyword stuffing: the query's content terms, over and over."""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.core.text import content_terms
from darnel.patterns.base import Recipe


def _keywords(request: CraftRequest) -> str:
    return f"{' '.join(content_terms(request.query) * request.strength)}. {request.body}"


KEYWORDS = Recipe(
    name="keywords",
    summary="The query's content terms, repeated, put before the carrier.",
    dose="repeats of the terms",
    text=_keywords,
    default_strength=5,
    about=About(
        "keywords",
        "black",
        ("text",),
        ("lexical", "dense", "hybrid"),
        ("repetition: Gyongyi and Garcia-Molina, Web Spam Taxonomy, AIRWeb 2005",),
    ),
)
