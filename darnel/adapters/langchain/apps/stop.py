"""Stop an application before the model that would see what was retrieved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from darnel.adapters.apps.output import as_text

LEAST_WHOLE, LEAST_PIECE = 8, 30
"""Characters from which a whole text, and a sentence of it, are no accident in a prompt."""
IN_PARTS = frozenset({"MapReduceDocumentsChain", "RefineDocumentsChain", "MapRerankDocumentsChain"})
"""Chains that show a model one document at a time, so that their first prompt is not the whole of it."""


class Stop(BaseException):
    """Ends the run of an application before a model is called.

    No ``Exception``, so that neither its ``except Exception`` nor its fallbacks and retries take it for a failure.
    """


def message_text(messages: Iterable[Any]) -> str:
    """The text of a model's messages."""
    return "\n".join(text for m in messages if (text := as_text(getattr(m, "content", m))))


def holds_any(prompt: str, texts: Iterable[str], question: str) -> bool:
    """Whether a prompt holds one of the texts, or a sentence of one that is not in the question itself."""
    flat, asked = _flat(prompt), _flat(question)
    return any(piece in flat for text in texts for piece in _pieces(text) if piece not in asked)


def _pieces(text: str) -> Iterator[str]:
    whole = _flat(text)
    if len(whole) >= LEAST_WHOLE:
        yield whole
    for line in text.splitlines():
        yield from (piece for part in line.split(". ") if len(piece := _flat(part)) >= LEAST_PIECE)


def _flat(text: str) -> str:
    return " ".join(text.split())


def why_needed(component: str, model: str, seen: Sequence[Any]) -> str:
    """Why the run cannot go on without a model, and what to do."""
    if seen:
        return (
            f"'{component}' calls a model ({model}) with a prompt that holds nothing of what was retrieved; if it is needed "
            "before the answer, let it be called with --allow-model"
        )
    return (
        f"'{component}' calls a model ({model}) before anything is retrieved; let it be called with --allow-model "
        "(the model that would see the documents is still not called)"
    )
