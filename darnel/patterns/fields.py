"""Fields beside the text: what a store embeds or indexes of a title or of tags counts for the query too."""

from __future__ import annotations

from darnel.core.pattern import About, Crafted, CraftRequest
from darnel.core.plant import MetaValue
from darnel.core.text import content_terms
from darnel.patterns.base import Recipe

TITLE_KEYS = ("title", "name", "heading", "header", "subject", "headline")
TAG_KEYS = ("tags", "keywords", "categories", "topics", "description", "summary", "abstract")


def _title(request: CraftRequest) -> Crafted:
    keys = [k for k in request.template if k.lower() in TITLE_KEYS] or ["title"]
    return Crafted(request.body, dict.fromkeys(keys, " ".join([request.query] * request.strength)))


def _tags(request: CraftRequest) -> Crafted:
    terms = content_terms(request.query) * request.strength
    keys = [k for k in request.template if k.lower() in TAG_KEYS] or ["tags", "keywords"]
    return Crafted(request.body, {key: _like(request.template.get(key), terms) for key in keys})


def _like(own: MetaValue, terms: list[str]) -> MetaValue:
    """The terms in the type that the corpus's own records have there."""
    return terms if isinstance(own, list | tuple) else ", ".join(terms)


TITLE = Recipe(
    name="title",
    summary="The query in the title field, the bare carrier as the text.",
    dose="repeats of the query",
    text=_title,
    about=About("fields", "black", ("metadata",), ("stores that search titles",)),
)

TAGS = Recipe(
    name="tags",
    summary="The query's content terms in tags, keywords or description, the bare carrier as the text.",
    dose="repeats of the terms",
    text=_tags,
    about=About("fields", "black", ("metadata",), ("stores that search metadata",)),
)
