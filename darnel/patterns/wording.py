"""Queries that are only guessed: some of their words, or many queries at once."""

from __future__ import annotations

from darnel.core.errors import PlantError
from darnel.core.pattern import About, CraftRequest
from darnel.core.text import content_terms
from darnel.patterns.base import Recipe

GASLITE = "query stuffing: GASLITE, CCS 2025 (arXiv 2412.20953)"


def _partial(request: CraftRequest) -> str:
    """A share of the query's words, drawn by seed and kept in order; at least one."""
    words = request.query.split()
    if request.strength > 100:
        raise PlantError(
            f"pattern 'partial': the strength is the per cent of words kept, so at most 100, not {request.strength}"
        )
    kept = max(1, round(len(words) * request.strength / 100))
    chosen = sorted(request.random.sample(range(len(words)), kept)) if words else []
    return f"{' '.join(words[i] for i in chosen) or request.query} {request.body}"


def _dump(request: CraftRequest) -> str:
    """The content terms of the query's nearest neighbours, and not the query itself: what an outsider could guess."""
    near = list(request.others[: request.strength])
    if not near:
        raise PlantError("pattern 'term-dump' is made of other queries and there is none; give more, or leave it out")
    terms = dict.fromkeys(term for query in near for term in content_terms(query))
    return f"{' '.join(terms)}. {request.body}"


PARTIAL = Recipe(
    name="partial",
    summary="Some of the query's words, as somebody would guess it, put before the carrier.",
    dose="per cent of the query's words",
    text=_partial,
    default_strength=50,
    about=About("wording", "black", ("text",), ("lexical",)),
)

TERM_DUMP = Recipe(
    name="term-dump",
    summary="The content terms of the nearest other queries, and not of the query asked, put before the carrier.",
    dose="other queries whose terms are dumped",
    text=_dump,
    needs_others=True,
    default_strength=10,
    about=About("wording", "black", ("text",), ("lexical",), (GASLITE,)),
)
