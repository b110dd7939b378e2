"""The query's own words, put before the carrier."""

from __future__ import annotations

from darnel.core.pattern import CraftRequest
from darnel.patterns.base import Recipe


def _echo(request: CraftRequest) -> str:
    return " ".join([*[request.query] * request.strength, request.body])


ECHO = Recipe(
    name="echo",
    summary="The query as it is typed, put before the carrier.",
    dose="repeats of the query",
    text=_echo,
)
