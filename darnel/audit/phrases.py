"""Phrases that address a language model or a retriever: data for the instructions detector.

Every repeat is bounded, so that matching stays linear on any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from darnel.audit.model import Severity

_S = r"[ \t\n]{1,3}"
_START = r"(?:^|[.!?:;>\]\)\n*#-]|\b(?:please|now|then|and|so|must|should|to|immediately|first|you|important)\b,?)[ \t*_\"]{0,4}"
_OLD = r"(?:previous|prior|above|preceding|earlier|foregoing|your|all)"
_WHAT = r"(?:instruction|direction|prompt|rule|guideline|directive|command|context|order|training|programming|constraint|question)s?"
_ANSWER = r"(?:answer|reply|response|output|summary)"
_MODEL = (
    rf"(?:ai(?:{_S}(?:assistant|model|agent|system)s?)?|(?:all|any){_S}assistants|language{_S}models?|llms?|chatbots?)"
)
_RAW: tuple[tuple[Severity, str, tuple[str, ...], str], ...] = (
    ("high", "asks to set instructions aside", ("ignor", "disregard", "forget", "overrid", "bypass", "discard"),
     rf"{_START}(?:ignore|disregard|forget|override|bypass|discard){_S}(?:(?:the|of|about|any|these|those){_S}){{0,2}}(?:{_OLD}{_S})(?:(?:the|of|and|or|other|safety|system|given|original|{_OLD}){_S}){{0,3}}{_WHAT}\b"),
    ("high", "asks to set instructions aside", ("ignor", "disregard", "forget"),
     rf"(?:ignore|disregard|forget){_S}(?:everything|anything|all|whatever){_S}(?:\w{{1,30}}{_S}){{0,3}}(?:above|before|previous(?:ly)?|prior|told)\b|(?:^|[.!?:;\n]|\band|\bactually,?)[ \t*_\"]{{0,4}}(?:ignore|disregard|forget){_S}(?:the{_S}(?:user|passage|document|text|question)(?:'s)?|my{_S}original)\b"),
    ("high", "asks to set instructions aside", ("指示", "指令", "지시", "инструкц", "instrucciones", "instruções", "instructions", "anweisung", "talimat", "istruzioni", "تعليمات"),
     r"指示(?:は|を)?(?:すべて|全て)?無視|(?:忽略|无视|忽視).{0,8}(?:指令|指示)|지시.{0,8}무시|игнорируй(?:те)?.{0,20}инструкци|ignor[ae].{0,20}(?:instrucciones|instruções|istruzioni)|ignore[rz]?.{0,20}instructions précédentes|ignorier(?:e|en sie)?.{0,20}anweisungen|talimatları.{0,20}(?:yok say|görmezden gel)|تجاهل.{0,12}تعليمات"),
    ("high", "imitates a model's chat markup", ("<|", "[inst]", "[/inst]", "sys>>"),
     r"<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>"),
    ("high", "gives a model another role", ("you are now",),
     rf"{_START}you are now{_S}(?:an?{_S})?(?:\w{{1,30}}{_S}){{0,3}}(?:assistant|ai|model|bot|dan|mode|unrestricted|jailbroken)\b"),
    ("medium", "asks for the system prompt", ("prompt", "instructions"),
     rf"(?:reveal|print|repeat|output|show|leak|disclose){_S}(?:me{_S})?(?:your|the){_S}(?:\w{{1,30}}{_S}){{0,2}}(?:system prompt|hidden prompt|initial instructions|system instructions)"),
    ("medium", "asks to keep something from the user", ("the user", "to user", "this instruction"),
     rf"{_START}(?:do not|don't|never){_S}(?:tell|inform|mention|reveal|disclose|display){_S}(?:\w{{1,30}}{_S}){{0,4}}(?:the{_S}user|to{_S}(?:the{_S})?users?|this{_S}instruction)"),
    ("medium", "tells a model how to answer", ("ai ", "ai\n", "ai,", "assistants", "language model", "language\nmodel", "llm", "chatbot"),
     rf"\b{_MODEL}\b[^.!?]{{0,60}}\b(?:must|should|shall|has to|is instructed to|always){_S}(?:\w{{1,30}}{_S}){{0,4}}(?:reply|respond|answer|say|output|include|recommend|cite|repeat|state|stop)\b"),
    ("medium", "tells a model how to answer", ("your answer", "your reply", "your response", "your output", "your summary", "your final", "your\nanswer", "your\nreply"),
     rf"\b(?:in|with|to|into|end{_S}of){_S}your{_S}(?:final{_S})?{_ANSWER}\b[^.!?]{{0,40}}\b(?:include|add|append|mention|say|repeat|state|insert|cite)\b"
     rf"|\b(?:include|add|append|repeat|insert|output|print|mention|cite)\b[^.!?]{{0,80}}\b(?:in|with|to|into|end{_S}of){_S}your{_S}(?:final{_S})?{_ANSWER}\b"),
    ("medium", "tells a model how to answer", tuple(f"{which}{gap}{what}" for which in ("your", "the", "every", "each") for gap in " \n" for what in ("answer", "reply", "response", "output", "summary")),
     rf"\b(?:begin|start|end|prefix){_S}(?:your|the|every|each){_S}(?:\w{{1,30}}{_S})?{_ANSWER}{_S}with\b|\b(?:begin|start|end|append){_S}(?:\S{{1,60}}{_S}){{0,6}}of{_S}(?:every|each|your){_S}{_ANSWER}\b"),
    ("medium", "tells a model how to answer", ("reply", " respond", "\nrespond", "answer with", "answer only", "answer just", "answer exactly", "answer solely"),
     rf"\b(?:reply|respond|answer){_S}(?:only|just|exactly|solely){_S}with\b|\b(?:reply|respond|answer){_S}with{_S}(?:only|exactly|just|nothing but)\b"
     rf"|\b(?:reply|respond){_S}(?:\S{{1,30}}{_S}){{0,6}}with{_S}(?:only{_S}|exactly{_S})?[\"“「][^\"”」\n]{{1,80}}[\"”」][ \t\n]{{0,3}}(?:instead|and{_S}nothing|before|rather)"),
    ("medium", "tells a model how to answer", ("instead of answering", "normal answer", "usual answer", "normal\nanswer"),
     rf"\binstead{_S}of{_S}(?:answering\b|(?:a|the|your){_S}(?:normal|usual|regular){_S}{_ANSWER})"),
    ("medium", "tells a model how to answer", ("this document", "this article", "this page", "this\ndocument", "this\npage"),
     rf"\b(?:every|any|each|all){_S}{_ANSWER}s?{_S}(?:that{_S})?(?:cit|draw|us|referenc|bas)(?:es?|ing|ed|s)?{_S}(?:on{_S})?this{_S}(?:document|article|page)\b[^.!?]{{0,40}}\b(?:must|should|shall)\b"),
    ("medium", "tells a model how to answer", ("regardless of", "whatever the user"),
     rf"\b(?:regardless{_S}of{_S}what|whatever){_S}the{_S}user{_S}(?:asks|says|wants)\b"),
    ("medium", "addresses an assistant", ("assistant", "note to"),
     rf"\b(?:note|message|instructions?|directive){_S}(?:to|for){_S}(?:the{_S}|all{_S}|any{_S})?(?:assistants?|ai|llms?|language{_S}models?)\b|\b(?:assistant|ai)[ -](?:only[ -])?(?:note|directive|instruction)s?\b[ \t]{{0,3}}[:,]"),
    ("medium", "carries a line in the system's name", tuple(f"{who}{gap}{what}" for who in ("system", "assistant") for gap in ("", " ", "\t") for what in (":", "]", "*", "prompt", "message", "instruction", "note", "override")),
     r"(?:^|\n)[ \t#*\[]{0,6}(?:system|assistant)[ \t]?(?:prompt|message|instruction|note|override)?[\]*]{0,3}:[ \t]{1,9}(?:you|ignore|always|never|from now|do not|new)\b"),
    ("medium", "asks to be preferred to other documents", ("any question", "all queries", "every previous document", "all previous documents", "retrieval system"),
     rf"\bconsulted{_S}first{_S}for{_S}(?:any|every|all){_S}(?:question|quer)|\bsupersedes{_S}(?:every|all){_S}(?:previous{_S}|other{_S})?documents?\b|\bretrieval{_S}systems?{_S}(?:should|must){_S}(?:prioriti[sz]e|prefer|return)\b|\brequired{_S}reading{_S}for{_S}all{_S}queries\b"),
)  # fmt: skip
Rule = tuple[Severity, str, re.Pattern[str]]
RULES: tuple[Rule, ...] = tuple((severity, what, re.compile(rule, re.IGNORECASE)) for severity, what, _, rule in _RAW)
"""How bad, what the sentence does, and the rule."""


def _either(hints: Iterable[str]) -> str:
    """A pattern of RE2 for some hints; one that begins with a blank is one at the very start of a text too."""
    return "|".join(
        rf"(?:\A|{hint[0]}){re.escape(hint[1:])}" if hint[0].isspace() else re.escape(hint) for hint in sorted(hints)
    )


RULE_HINTS = tuple(_either(hints) for _, _, hints, _ in _RAW)
"""For each rule, what a text without a match for it (whatever the case) cannot break."""
HINTS = _either({hint for _, _, hints, _ in _RAW for hint in hints})
"""The same for all of them."""
