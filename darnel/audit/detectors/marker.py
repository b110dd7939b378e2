"""Markers and stamps of test kits: what a planted test document is known by, and what one left behind still carries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector
from darnel.audit.model import Finding, Span, excerpt
from darnel.core.plant import find_markers, read_stamp

_OURS = re.compile(r"darnel-[a-z2-7]{10}", re.IGNORECASE)
_OTHERS = re.compile(
    r"\bRAGINJECT[-_][0-9A-Z_-]{4,64}|\b[A-Z]{2,12}[-_]CANARY[-_][0-9A-Za-z]{4,64}|\bCANARY[-_][0-9A-F]{6,64}\b"
)
_TEXT_HINT, _METADATA_HINT = "darnel-|raginject|canary", "darnel|raginject|injected_by"
"""What no text or metadata lacks that the rules below are for."""
_METADATA_KEYS = ("raginject", "raginject_id", "_raginject", "injected_by")


class MarkerResidue(BaseDetector):
    """Exact, so it raises no false alarm but on texts about such markers."""

    name = "marker"
    summary = "Markers and metadata stamps of darnel, raginject and other test kits."
    blind = "Anything that no test kit marked: an attacker leaves no marker."
    advice = "If no test is running, take it out: darnel sweep removes darnel's; remove others by their id."
    alone = True
    splits = True

    def candidates(self, batch: Batch) -> Iterable[Entry]:
        """See ``BaseDetector.candidates``."""
        marks = zip(batch.matching("text", _TEXT_HINT), batch.matching("metadata", _METADATA_HINT), strict=True)
        return (entry for entry, mark in zip(batch.entries, marks, strict=True) if any(mark))

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        stamp = read_stamp(entry.metadata) if "darnel" in entry._metadata else None
        if stamp is not None:
            what = f"stamp of campaign {stamp.campaign}"
            yield self.finding(
                entry, "high", 1.0, "The metadata says that darnel planted this record.", [Span(0, 0, what)]
            )
            return
        if ours := find_markers(entry.text):
            spans = [
                excerpt(entry.text, m.start(), m.end()) for m in _OURS.finditer(entry.text) if m[0].lower() in ours
            ]
            yield self.finding(entry, "high", 1.0, "The text carries a marker of darnel.", spans)
        others = [excerpt(entry.text, m.start(), m.end()) for m in _OTHERS.finditer(entry.text)]
        others += [Span(0, 0, f"metadata key {key}") for key in _METADATA_KEYS if key in entry.metadata]
        if others:
            yield self.finding(entry, "medium", 0.5, "It carries what looks like the marker of a test kit.", others)
