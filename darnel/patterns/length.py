"""Length and chunks: bait drowned in a long document, or cut off from its marker by a splitter."""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.patterns.base import Recipe

FILLER = (
    "This paragraph is filler text for a retrieval test and says nothing about any subject.",
    "It is repeated so that the document grows while its meaning does not.",
    "A reader may skip it without missing anything at all.",
    "Nothing here should be quoted, stored or acted upon.",
)
"""On no topic, so that only the length changes."""


def _filler(words: int) -> str:
    text = " ".join(FILLER).split()
    return " ".join((text * (words // len(text) + 1))[:words])


def _dilute(request: CraftRequest) -> str:
    half = request.strength // 2
    return f"{_filler(half)} {request.query} {request.body} {_filler(request.strength - half)}".strip()


def _straddle(request: CraftRequest) -> str:
    """The query ends where the first chunk of ``strength`` words does; the marker comes just behind the cut."""
    query = request.query.split()[: request.strength]
    head = _filler(max(0, request.strength - len(query)))
    return " ".join([*head.split(), *query, request.body])


DILUTE = Recipe(
    name="dilute",
    summary="The query and the carrier in the middle of a long text on no topic.",
    dose="words of filler",
    text=_dilute,
    default_strength=200,
    about=About("length", "black", ("text",), ("lexical",)),
)

STRADDLE = Recipe(
    name="straddle",
    summary="The query at the end of a first chunk, the marker at the start of the second, for an ingest that splits.",
    dose="words of the first chunk",
    text=_straddle,
    default_strength=60,
    about=About("length", "black", ("text",), ("lexical",), ("fragmented poisons: Confundo (arXiv 2602.06616)",)),
)
