"""What an audit finds, as plain data."""

from __future__ import annotations

import hashlib
import json
from typing import Literal

import msgspec

Severity = Literal["low", "medium", "high"]
SEVERITIES: tuple[Severity, ...] = ("low", "medium", "high")


class Span(msgspec.Struct, frozen=True):
    """Where the evidence stands: characters ``start`` to ``end`` of the record's text, and ``what`` stands there.

    Evidence that is not in the text (metadata, a vector) has ``start`` and ``end`` 0. ``before`` and ``after``: a little of
    the text around it, where it quotes the text.
    """

    start: int
    end: int
    what: str
    before: str = ""
    after: str = ""


class Finding(msgspec.Struct, frozen=True):
    """One thing in one record.

    ``score``: higher is worse, only comparable within a detector. ``rank``: the share of all records read that score at
    least as high under this detector, so 0.001 is one in a thousand. ``line``: of the first span, in the record's text,
    counted from 1. ``source``: the file or target that the record came from. ``advice``: what the owner can do.
    """

    record: str
    detector: str
    severity: Severity
    score: float
    why: str
    advice: str
    spans: tuple[Span, ...] = ()
    source: str = ""
    rank: float = 0.0
    line: int = 0

    @property
    def fingerprint(self) -> str:
        """The same for the same evidence in the same record, wherever the corpus lies and whatever else is in it."""
        shown = json.dumps([self.detector, self.record, [s.what for s in self.spans]])
        return hashlib.sha256(shown.encode()).hexdigest()[:32]

    @property
    def order(self) -> tuple[int, str, str, str, tuple[tuple[int, int, str], ...]]:
        """Sorts the worst first, and the same findings the same way in whatever order they came."""
        places = tuple((s.start, s.end, s.what) for s in self.spans)
        return (-SEVERITIES.index(self.severity), self.detector, self.source, self.record, places)


MOST_SPANS = 5
"""Spans that one finding carries."""
EXCERPT = 160
"""Characters of a record that one span quotes at the most."""
AROUND = 60
"""Characters shown on either side of a span."""


def excerpt(text: str, start: int, end: int) -> Span:
    """A span that quotes what stands there."""
    quoted = text[start : min(end, start + EXCERPT)]
    return Span(start, end, quoted + ("…" if end > start + EXCERPT else ""))


def in_context(span: Span, text: str) -> Span:
    """The span with what stands around it; one that does not quote the text as it is stays as it is."""
    if not span.end or not text.startswith(span.what.removesuffix("…"), span.start):
        return span
    before, after = text[max(0, span.start - AROUND) : span.start], text[span.end : span.end + AROUND]
    return msgspec.structs.replace(span, before=before, after=after)
