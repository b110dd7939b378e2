"""Sentences that speak to a model rather than to a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector
from darnel.audit.model import Finding, Severity, excerpt

_START = r"(?:^|[.!?:;>\]\)\n*#-]|\b(?:please|now|then|and|so|must|should|to|immediately|first|you|important)\b,?)[ \t*_\"]{0,4}"
_OLD = r"(?:previous|prior|above|preceding|earlier|foregoing|your|all)"
_WHAT = (
    r"(?:instruction|direction|prompt|rule|guideline|directive|command|context|order|training|programming|constraint)s?"
)
_RAW: tuple[tuple[Severity, str, str], ...] = (
    ("high", "asks to set instructions aside",
     rf"{_START}(?:ignore|disregard|forget|override|bypass|discard)[ \t]+(?:(?:the|of|about|any|these|those)[ \t]+){{0,2}}(?:{_OLD}[ \t]+)(?:(?:the|of|and|or|other|safety|system|given|original|{_OLD})[ \t]+){{0,3}}{_WHAT}\b"),
    ("high", "asks to set what came before aside",
     r"(?:ignore|disregard|forget)[ \t]+(?:everything|anything|all|whatever)[ \t]+(?:\w+[ \t]+){0,3}(?:above|before|previous(?:ly)?|prior|told)\b"),
    ("high", "imitates a model's chat markup",
     r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>"),
    ("high", "gives a model another role",
     rf"{_START}you are now[ \t]+(?:an?[ \t]+)?(?:\w+[ \t]+){{0,3}}(?:assistant|ai|model|bot|dan|mode|unrestricted|jailbroken)\b"),
    ("medium", "asks for the system prompt",
     r"(?:reveal|print|repeat|output|show|leak|disclose)[ \t]+(?:me[ \t]+)?(?:your|the)[ \t]+(?:\w+[ \t]+){0,2}(?:system prompt|hidden prompt|initial instructions|system instructions)"),
    ("medium", "asks to keep something from the user",
     rf"{_START}(?:do not|don't|never)[ \t]+(?:tell|inform|mention|reveal|disclose)[ \t]+(?:\w+[ \t]+){{0,4}}(?:the[ \t]+user|to[ \t]+(?:the[ \t]+)?users?|this[ \t]+instruction)"),
    ("medium", "tells a model how to answer",
     r"\b(?:ai(?:[ \t]+(?:assistant|model|agent|system)s?)?|language models?|llms?|chatbots?)\b[^.!?\n]{0,60}\b(?:must|should|shall|has to|is instructed to|always)\b[ \t]+(?:\w+[ \t]+){0,4}(?:reply|respond|answer|say|output|include|recommend|cite|repeat|state)\b"),
    ("medium", "tells a model how to answer",
     r"\b(?:in|with|to|into|at the end of)[ \t]+your[ \t]+(?:final[ \t]+)?(?:answer|reply|response|output|summary)\b[^.!?\n]{0,40}\b(?:include|add|append|mention|say|repeat|state|insert)\b"
     r"|\b(?:include|add|append|repeat|insert|output|print)\b[^.!?\n]{0,80}\b(?:in|with|to|into|at the end of)[ \t]+your[ \t]+(?:final[ \t]+)?(?:answer|reply|response|output|summary)\b"),
    ("medium", "carries a line in the system's name",
     r"(?:^|\n)[ \t#*\[]{0,6}(?:system|assistant)[ \t]?(?:prompt|message|instruction|note|override)?[\]*]{0,3}:[ \t]+(?:you|ignore|always|never|from now|do not|new)\b"),
)  # fmt: skip
_HINTS = (
    ("ignor", "disregard", "forget", "overrid", "bypass", "discard"),
    ("ignor", "disregard", "forget"),
    ("<|", "[inst]", "[/inst]", "sys>>"),
    ("you are now",),
    *(
        ("prompt", "instructions"),
        ("the user", "to user", "this instruction"),
        ("ai", "language model", "llm", "chatbot"),
    ),
    *(
        ("your answer", "your final", "your reply", "your response", "your output", "your summary"),
        ("system", "assistant"),
    ),
)
"""For each rule what it cannot do without: looking for that is far quicker."""
_RULES = tuple(
    (severity, what, re.compile(rule, re.IGNORECASE), hints)
    for (severity, what, rule), hints in zip(_RAW, _HINTS, strict=True)
)
_TOLD = re.compile(
    r"(?:such as|like|for example|e\.g\.|for instance|says?|said|reads?|contains?|containing|phrases?|strings?|text|called|attacks?|"
    r"attackers?|injection|jailbreak|payload|detects?|blocks?|prevents?|tries|trying|attempts?|asks?|instructs?|telling|model to|can|could|may|might|would)\b[^.!?\n]{0,60}$",
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

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        text, lowered = entry.prose, entry.lowered
        found = [
            (severity, what, m)
            for severity, what, rule, hints in _RULES
            if any(hint in lowered for hint in hints)
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
