"""How a scripted model reads: which requests for a marker stand in a text, by plain rules and nothing learned."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from darnel.core.payload import FAKE_TOOL
from darnel.core.plant import find_markers
from darnel.core.text import sentences

_ASKED = re.compile(
    r"\b(?:reply|respond|say|write|print|output|repeat|ends?|begins?|starts?|contain|include|give)\b", re.I
)
_NAMED = re.compile(r"\bthe (?P<term>\w+ \w+) of this \w+ is\b", re.I)
_ENCODED = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}(?![\w+/=])")
_SECRET = re.compile(r"\b(?:code|token|canary)\b.{0,40}\b(?:your|the) (?:instructions|prompt)\b", re.I)
_REFUSAL = re.compile(r"\bcannot answer\b", re.I)


@dataclass(frozen=True, slots=True)
class Wish:
    """One thing asked for: a text to say, a call of a tool, or a refusal."""

    say: str = ""
    call: str = ""
    secret: bool = False
    refuse: bool = False


def wishes(text: str) -> Iterator[Wish]:
    """What a text asks for, in its order; a marker that is only mentioned is nothing asked for."""
    parts = sentences(text)
    meanings = {
        found["term"].lower(): marker for part in parts if (found := _NAMED.search(part)) for marker in _markers(part)
    }
    for part in parts:
        if "base64" in part.lower():
            for run in _ENCODED.findall(part):
                yield from wishes(_decoded(run))
        yield from _asked(part, meanings)


def _asked(part: str, meanings: dict[str, str]) -> Iterator[Wish]:
    if f"tool {FAKE_TOOL}" in part:
        yield from (Wish(call=marker) for marker in _markers(part))
        return
    if not _ASKED.search(part):
        return
    if _SECRET.search(part):
        yield Wish(secret=True)
    for marker in _markers(part):
        said = marker[::-1] if "backwards" in part else marker
        yield Wish(say=said, refuse=bool(_REFUSAL.search(part)))
    yield from (Wish(say=marker) for term, marker in meanings.items() if term in part.lower() and marker not in part)


def _markers(text: str) -> list[str]:
    return sorted(find_markers(text))


def _decoded(run: str) -> str:
    try:
        return base64.b64decode(run, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
