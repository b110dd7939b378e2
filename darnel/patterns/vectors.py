"""Vectors that are not the text's own, for whoever may write to the store's vectors directly."""

from __future__ import annotations

from darnel.core.errors import PlantError
from darnel.core.pattern import About, Crafted, CraftRequest
from darnel.patterns.base import Recipe

HUBS = ("hubness: arXiv 2604.05480",)
SWAPS = ("text and vector apart: VectorSmuggle (arXiv 2605.13764)",)


def _hub(request: CraftRequest) -> Crafted:
    near = list(request.others[: request.strength])
    if not near:
        raise PlantError("pattern 'hub' is the middle of other queries and there is none; give more, or leave it out")
    return Crafted(request.body, vector_of=near)


def _swap(request: CraftRequest) -> Crafted:
    return Crafted(request.body, vector_of=[request.query])


HUB = Recipe(
    name="hub",
    summary="The bare carrier under the mean vector of the nearest other queries, and not of the query asked.",
    dose="other queries in the mean",
    text=_hub,
    needs_others=True,
    default_strength=10,
    about=About("vectors", "white", ("vector",), ("dense",), HUBS),
)

SWAP = Recipe(
    name="swap",
    summary="The bare carrier under the query's own vector: what is shown has nothing to do with what is found.",
    dose="no more than one",
    text=_swap,
    about=About("vectors", "white", ("vector",), ("dense",), SWAPS),
)
