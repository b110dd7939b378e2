"""The shape of a question with its answer, which retrievers trained on such pairs look for."""

from __future__ import annotations

from darnel.core.pattern import About, CraftRequest
from darnel.patterns.base import Recipe


def _answer(request: CraftRequest) -> str:
    restated = " ".join(["the answer to the question", *[request.query] * request.strength])
    said = request.mention(f"is in record {request.marker}.")
    return f"Question: {request.query} Answer: {restated} {said}"


ANSWER = Recipe(
    name="answer",
    summary="The query as a question, followed by a sentence in the shape of its answer; no carrier.",
    dose="repeats of the query in the answer",
    text=_answer,
    about=About("answer", "black", ("text",), ("lexical", "dense", "hybrid"), ("CorruptRAG (arXiv 2504.03957)",)),
)
