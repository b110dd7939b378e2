"""A clone of the document that the corpus itself returns, so that the plant looks like what belongs there."""

from __future__ import annotations

from darnel.core.errors import PlantError
from darnel.core.pattern import About, CraftRequest
from darnel.core.text import sentences
from darnel.patterns.base import Recipe

WEAVING = "weaving: Gyongyi and Garcia-Molina, Web Spam Taxonomy, AIRWeb 2005"
MOST_WORDS = 400


def _host(request: CraftRequest) -> str:
    """The passage at the place that the copy asks for, with the marker in a sentence of its own in its middle."""
    if not request.passages:
        raise PlantError("pattern 'host' clones what the corpus returns and the query returned nothing; leave it out")
    host = request.passages[request.copy % len(request.passages)]
    parts = sentences(" ".join(host.split()[:MOST_WORDS])) or [host]
    middle = (len(parts) + 1) // 2
    return " ".join([*parts[:middle], request.mention(f"See also record {request.marker}."), *parts[middle:]])


def _host_echo(request: CraftRequest) -> str:
    return " ".join([*[request.query] * request.strength, _host(request)])


HOST = Recipe(
    name="host",
    summary="A copy of what the corpus returns for the query, with the marker woven in.",
    dose="documents a query, each a copy of the next best",
    text=_host,
    needs_passages=True,
    plants=lambda strength: strength,
    about=About("host", "grey", ("text",), ("lexical", "dense"), (WEAVING,)),
)

HOST_ECHO = Recipe(
    name="host-echo",
    summary="The query, then a copy of what the corpus returns for it, with the marker woven in.",
    dose="repeats of the query",
    text=_host_echo,
    needs_passages=True,
    about=About("host", "grey", ("text",), ("lexical", "dense", "hybrid"), (WEAVING,)),
)
