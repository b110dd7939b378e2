"""Titles, tags and summaries that have nothing to do with the text they stand over, or repeat themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Self

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector, Context
from darnel.audit.model import Finding, Severity, Span
from darnel.audit.sketch import Histogram
from darnel.core.text import content_words, words

KEYS = frozenset(
    [
        "title",
        "name",
        "heading",
        "header",
        "subject",
        "headline",
        "tags",
        "keywords",
        "categories",
        "topics",
        "description",
        "summary",
        "abstract",
    ]
)
FEWEST_TERMS = 4
"""Content terms below which a field is a name or a label, which need not be repeated in the text."""
FEWEST_BODY = 12
"""Words below which a text is too short to mention its title."""
USUAL = 0.5
"""Where fields and texts share less than this at the median, a field without the text's words means nothing."""


class FieldMismatch(BaseDetector):
    """What a store searches of a title counts for the query, whatever the text is about."""

    name = "fields"
    summary = "Titles, tags and descriptions none of whose words the text has, or that repeat their words."
    blind = "Fields of fewer than four content words, fields under other names, and texts made to fit their title."
    advice = "Compare the field with the text; restore it from the source, or leave the field out of what is searched."
    alone = True
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._covered = Histogram()
        self._apart: list[Finding] = []

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        fields = [(k, v) for k, v in entry.fields if k.lower() in KEYS and len(v) > 12]
        if not fields:
            return
        body: set[str] | None = None
        for key, value in fields:
            terms = content_words(value[:2_000])
            if len(terms) >= 2 * FEWEST_TERMS and (most := Counter(terms).most_common(4))[-1][1] >= 3:
                what = f"{key}: {value[:160]}"
                why = f"The field {key} repeats its words up to {most[0][1]} times."
                yield self.finding(entry, "high", float(most[0][1]), why, [Span(0, 0, what)])
                continue
            distinct = set(terms)
            if len(distinct) < FEWEST_TERMS:
                continue
            body = body if body is not None else {_stem(w) for w in words(entry.text)}
            if len(body) < FEWEST_BODY:
                continue
            shared = sum(_stem(t) in body for t in distinct) / len(distinct)
            self._covered.add(shared)
            if shared <= 0.1:
                severity: Severity = "high" if value.rstrip().endswith("?") else "medium"
                why = f"The text has {shared:.0%} of the words of its {key}; here {{usual:.0%}} is usual."
                self._apart.append(
                    self.finding(entry, severity, 1 - shared, why, [Span(0, 0, f"{key}: {value[:160]}")])
                )

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        self._covered.merge(other._covered)
        self._apart += other._apart

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        return {"covered": self._covered.counts}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """See ``Calibrated.carry``."""
        self._covered = Histogram(kept["covered"])

    def finish(self) -> Iterator[Finding]:
        """Those that stand apart, where fields and texts belong together in this corpus."""
        import msgspec

        usual = self._covered.quantile(0.5)
        if usual < USUAL:
            return
        for found in self._apart:
            yield msgspec.structs.replace(found, why=found.why.replace("{usual:.0%}", f"{usual:.0%}"))


def _stem(word: str) -> str:
    """Enough of a word to meet its plural and its participle."""
    return word[:5]
