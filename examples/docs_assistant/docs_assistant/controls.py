"""What stands between a model and its reader: relevance, a budget of rewrites, and verification; each can be off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
ABLATED = {
    controls.name: controls
    for controls in (
        replace(MITIGATED, name="without verification", verification=False),
        replace(MITIGATED, name="without a threshold", threshold=UNMITIGATED.threshold),
        replace(MITIGATED, name="without rewrites", rewrites=UNMITIGATED.rewrites),
    )
}
"""The mitigated mode with one control off."""


def rewritten(question: str, budget: int) -> list[str]:
    """The question, and up to ``budget`` times in other words: its last clause, then the terms of that."""
    clause = re.split(r"[:;,]\s+|[.!?]\s+", question.strip())[-1]
    return list(dict.fromkeys((question, clause, " ".join(content_terms(clause)))))[: 1 + budget]


def why_unverified(question: str, wording: str, answer: str, passages: Sequence[Source]) -> str:
    """Why an answer may not go out; empty where it may. One that declines always may.

    Each sentence must speak of what was asked, and all its words must stand in one passage, which must hold half of the
    words that were asked with, and every number of the question.
    """
    if abstains(answer):
        return ""
    asked = set(content_words(wording))
    numbers = {word for word in content_words(question) if any(ch.isdigit() for ch in word)}
    texts = [set(content_words(passage.text or "")) for passage in passages]
    on_topic = [text for text in texts if numbers <= text and len(asked & text) >= COVERED * len(asked)]
    for sentence in sentences(answer):
        said = set(content_words(sentence))
        if not said & asked:
            return "a sentence does not speak of what was asked"
        if not any(said <= text for text in on_topic):
            return "no passage on the question says so"
    return ""
