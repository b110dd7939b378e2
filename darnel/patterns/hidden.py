"""Bait that a reader of the page does not see: in a comment, or styled away."""

from __future__ import annotations

from html import escape

from darnel.core.pattern import About, CraftRequest
from darnel.patterns.base import Recipe

LOADERS = "hidden text survives loaders: arXiv 2507.05093"


def _bait(request: CraftRequest) -> str:
    return escape(" ".join([request.query] * request.strength).replace("--", "- -"), quote=False)


def _comment(request: CraftRequest) -> str:
    return f"<!-- {_bait(request)} --> {request.body}"


def _css(request: CraftRequest) -> str:
    return f'<span style="display:none">{_bait(request)}</span> {request.body}'


COMMENT = Recipe(
    name="comment",
    summary="The query in an HTML comment before the carrier; what an ingest that keeps raw HTML embeds.",
    dose="repeats of the query",
    text=_comment,
    about=About("hidden", "black", ("text",), ("lexical", "dense", "hybrid"), (LOADERS,)),
)

CSS = Recipe(
    name="css",
    summary="The query in an element that CSS hides, before the carrier.",
    dose="repeats of the query",
    text=_css,
    about=About("hidden", "black", ("text",), ("lexical", "dense", "hybrid"), (LOADERS,)),
)
