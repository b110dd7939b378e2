"""The query's own words, put before or behind the carrier."""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.patterns.base import Recipe

POISONED_RAG = "PoisonedRAG, USENIX Security 2025 (arXiv 2402.07867)"


def _echo(request: CraftRequest) -> str:
    return " ".join([*[request.query] * request.strength, request.body])


def _echo_end(request: CraftRequest) -> str:
    return " ".join([request.body, *[request.query] * request.strength])


ECHO = Recipe(
    name="echo",
    summary="The query as it is typed, put before the carrier.",
    dose="repeats of the query",
    text=_echo,
    about=About("echo", "black", ("text",), ("lexical", "dense", "hybrid"), (POISONED_RAG,)),
)

ECHO_END = Recipe(
    name="echo-end",
    summary="The query as it is typed, put behind the carrier.",
    dose="repeats of the query",
    text=_echo_end,
    about=About("echo", "black", ("text",), ("lexical",), (POISONED_RAG, "Parry et al. 2024 (arXiv 2405.00469)")),
)
