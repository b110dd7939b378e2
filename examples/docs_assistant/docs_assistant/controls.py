"""What stands between a model and its reader: relevance, a budget of rewrites, and verification; each can be off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from darnel.core.corpus import Source
from darnel.core.scoring.judges import abstains
from darnel.core.text import content_terms, content_words, sentences

COVERED = 0.5
"""Share of the question's words that the passage behind an answer must hold."""


@dataclass(frozen=True, slots=True)
class Controls:
    """``verification``: an answer must follow from a passage on the question. ``threshold``: the least cosine of a passage.
    ``rewrites``: how often a question that brought nothing good is put in other words."""

    name: str
    verification: bool
    threshold: float
    rewrites: int


MITIGATED = Controls("mitigated", verification=True, threshold=0.35, rewrites=2)
UNMITIGATED = Controls("unmitigated", verification=False, threshold=0.0, rewrites=0)
MODES = {controls.name: controls for controls in (UNMITIGATED, MITIGATED)}


def rewritten(question: str, budget: int) -> Iterator[str]:
    """The question, and up to ``budget`` times in other words: its terms, then the longer half of them."""
    terms = content_terms(question)
    longest = sorted(terms, key=len, reverse=True)[: max(1, len(terms) // 2)]
    yield from (question, " ".join(terms), " ".join(longest))[: 1 + budget]


def why_unverified(question: str, answer: str, passages: Sequence[Source]) -> str:
    """Why an answer may not go out; empty where it may. One that declines always may.

    Each sentence must speak of what was asked, and all its words must stand in one passage, which must hold half of the
    question's words and every number of it.
    """
    if abstains(answer):
        return ""
    asked = set(content_words(question))
    numbers = {word for word in asked if any(ch.isdigit() for ch in word)}
    texts = [set(content_words(passage.text or "")) for passage in passages]
    on_topic = [text for text in texts if numbers <= text and len(asked & text) >= COVERED * len(asked)]
    for sentence in sentences(answer):
        said = set(content_words(sentence))
        if not said & asked:
            return "a sentence does not speak of what was asked"
        if not any(said <= text for text in on_topic):
            return "no passage on the question says so"
    return ""
