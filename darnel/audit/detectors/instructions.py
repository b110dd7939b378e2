"""Sentences that speak to a model rather than to a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector
from darnel.audit.model import Finding, Severity, excerpt
from darnel.audit.phrases import HINTS, RULE_HINTS, RULES, Rule

_TOLD = re.compile(
    r"(?:such as|like|for example|e\.g\.|for instance|says?|said|reads?|contains?|containing|phrases?|strings?|text|called|"
    r"attacks?|attackers?|injection|jailbreak|payload|detects?|blocks?|prevents?|tries|trying|attempts?|asks?|instructs?|"
    r"telling|model to|can|could|may|might|would)\b[^.!?\n]{0,60}$",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "«": "»", "‘": "’", "„": "“", "「": "」", "'": "'"}


class Instructions(BaseDetector):
    """Code, quotations and sentences that report what an attacker may write are no findings."""

    name = "instructions"
    summary = "Phrases that address a language model: set instructions aside, take a role, hide something, answer so."
    blind = (
        "Instructions in plain task wording, in other languages than English, paraphrased, encoded, or put in quotes."
    )
    advice = "Read the sentence as the model would; remove the record if no reader is meant by it."
    alone = True
    splits = True

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """See ``Detector.examine``: each rule is tried only on texts with something that it cannot do without."""
        hinted = np.flatnonzero(batch.matching("text", HINTS))
        few = batch.picked(hinted)
        hints = np.array([few.matching("text", rule) for rule in RULE_HINTS])
        for number, rules in zip(hinted, hints.T, strict=True):
            yield from self._told(batch.entries[number], [RULES[rule] for rule in np.flatnonzero(rules)])

    def _told(self, entry: Entry, rules: Sequence[Rule]) -> Iterator[Finding]:
        text = entry.prose
        found = [
            (severity, what, m)
            for severity, what, rule in rules
            for m in rule.finditer(text)
            if not _reported(text, m.start(), m.end())
        ]
        if not found:
            return
        severity: Severity = "high" if any(s == "high" for s, _, _ in found) else "medium"
        kinds = ", ".join(sorted({what for _, what, _ in found}))
        spans = [excerpt(entry.text, m.start(), m.end()) for _, _, m in found]
        yield self.finding(entry, severity, len(found), f"A sentence {kinds}.", spans)


def _reported(text: str, start: int, end: int) -> bool:
    """Whether the phrase stands in quotation marks or a quotation, or its sentence tells of it."""
    line = text.rfind("\n", 0, start + 1) + 1
    before = text[max(line, start - 160) : start + 1]
    if text[line : line + 8].lstrip().startswith(">"):
        return True
    after = text[end : end + 120].split("\n", 1)[0]
    for opening, closing in _QUOTES.items():
        at = before.rfind(opening)
        if at < 0 or (opening == closing and before.count(opening) % 2 == 0):
            continue
        if opening == "'" and at and before[at - 1].isalpha():
            continue  # an apostrophe
        if closing not in before[at + 1 :] and closing in text[end - 1 : end] + after:
            return True
    return _TOLD.search(before[:-1]) is not None
