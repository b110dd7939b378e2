"""Defences at query time, each a function from question and sources to the sources that are passed on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from darnel.core.corpus import Source
from darnel.core.text import words
from darnel.core.trust import trust_of

SUSPICIOUS = 0.25
"""Further factor for text with instruction-like phrases."""
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|above|previous)\b"
    r"|\byou (?:are|must) now\b|\b(?:system|developer) (?:prompt|message)\b|\b(?:reply|respond|answer) only with\b"
    r"|\bdo not (?:tell|mention|reveal)\b|\bplease (?:output|repeat|report|print)\b",
    re.IGNORECASE | re.DOTALL,
)

SOURCE_KEYS = ("source", "source_id", "url", "file_path", "file_name", "author")
QUOTA = 2
ALIKE = 0.5
"""Jaccard similarity of three-word shingles from which two texts are near-duplicates."""
ECHOED = 0.8
"""Share of the question's words, in one run of a text, from which it echoes the question."""
LEAST_WORDS = 4
"""A shorter question stands in honest text too."""


def trust(_query: str, sources: Sequence[Source]) -> list[Source]:
    """Rerank by relevance × the source's trust × 0.25 where the text holds instruction-like phrases.

    Trust is a number from 0 to 1, or a tier's name, in the metadata. Nothing is dropped.
    """
    scores = relevances(sources)
    weighed = [Source(s.id, s.text, s.metadata, own * _factor(s)) for s, own in zip(sources, scores, strict=True)]
    return sorted(weighed, key=lambda s: -(s.score or 0.0))


def relevances(sources: Sequence[Source]) -> list[float]:
    """A relevance from 0 up for each source of one list, from whatever scores there are; 1 / rank where there is none.

    Where none is above 0 they are negated distances d, and count as 1 / (1 + d). Among others, one below 0 (a negative
    cosine) counts as 0.
    """
    distances = all(s.score is None or s.score <= 0 for s in sources)
    return [
        1 / rank if s.score is None else 1 / (1 - s.score) if distances else max(0.0, s.score)
        for rank, s in enumerate(sources, 1)
    ]


def _factor(source: Source) -> float:
    return trust_of(source.metadata) * (SUSPICIOUS if is_instruction(source.text) else 1.0)


def is_instruction(text: str | None) -> bool:
    """Whether a text holds a phrase that reads like an instruction, in any case of letters."""
    return _INSTRUCTION.search(text or "") is not None


def quota(_query: str, sources: Sequence[Source]) -> list[Source]:
    """At most two from one source, by what the metadata calls it; those that name none are not counted."""
    seen: Counter[str] = Counter()
    kept = []
    for source in sources:
        name = next((str(v) for k in SOURCE_KEYS if (v := (source.metadata or {}).get(k)) is not None), None)
        if name is None or seen[name] < QUOTA:
            kept.append(source)
        if name is not None:
            seen[name] += 1
    return kept


def dedupe(_query: str, sources: Sequence[Source]) -> list[Source]:
    """Only the best of each group of near-duplicates."""
    kept: list[Source] = []
    shingles: list[frozenset[tuple[str, ...]]] = []
    for source in sources:
        mine = _shingles(source.text or "")
        if not any(len(mine & other) >= ALIKE * len(mine | other) for other in shingles if mine and other):
            kept.append(source)
            shingles.append(mine)
    return kept


def echo_filter(query: str, sources: Sequence[Source]) -> list[Source]:
    """Without texts that hold 80 % of the question's words in one run; a FAQ that quotes its questions suffers too."""
    asked = words(query)
    if len(asked) < LEAST_WORDS:
        return list(sources)
    return [s for s in sources if longest_run(asked, words(s.text or "")) < ECHOED * len(asked)]


def longest_run(asked: Sequence[str], text: Sequence[str]) -> int:
    """Length of the longest run of words that both have, in words."""
    best, before = 0, [0] * (len(asked) + 1)
    for word in text:
        now = [0] * (len(asked) + 1)
        for place, other in enumerate(asked, 1):
            if word == other:
                now[place] = before[place - 1] + 1
                best = max(best, now[place])
        before = now
    return best


@lru_cache(maxsize=50_000)  # a record comes up for many questions
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    found = words(text)
    return frozenset(tuple(found[i : i + 3]) for i in range(max(1, len(found) - 2))) if found else frozenset()
