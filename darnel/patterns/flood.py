"""Many distinct documents for one query, to fill the places of the list."""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.core.text import content_terms, sentences
from darnel.patterns.base import Recipe

_FRAMES = (
    "{query} {body}",
    "{body} {query}",
    "Regarding {query} {body}",
    "{terms}. {body} {query}",
    "Entry on: {query} {tail} {head}",
    "{query} {tail} {head}",
    "Frequently asked: {query} {body}",
    "{head} {query} {tail}",
    "Topic: {terms}. {query} {body}",
    "Summary for the question {query} {tail} {head}",
)


_WHOLE = tuple(frame for frame in _FRAMES if "{body}" in frame)
"""Those that cut nothing in two, for a payload."""


def _flood(request: CraftRequest) -> str:
    first, *rest = sentences(request.body) or [request.body]
    frames = _FRAMES if request.says is None else _WHOLE
    frame = frames[request.copy % len(frames)]
    text = frame.format(
        query=request.query,
        body=request.body,
        head=first,
        tail=" ".join(rest),
        terms=" ".join(content_terms(request.query)),
    )
    # beyond the frames, further rounds repeat the query, so that no two copies are worded alike
    return " ".join([text, *[request.query] * (request.copy // len(frames))])


FLOOD = Recipe(
    name="flood",
    summary="Several documents for one query, each worded differently around the query.",
    dose="documents a query",
    text=_flood,
    default_strength=5,
    plants=lambda strength: strength,
    about=About(
        "flood",
        "black",
        ("text",),
        ("lexical", "dense", "hybrid"),
        ("PoisonedRAG, USENIX Security 2025 (arXiv 2402.07867)",),
    ),
)
