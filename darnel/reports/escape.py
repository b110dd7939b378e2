"""Corpus text is hostile until shown otherwise: make it inert before it reaches a terminal or a Markdown page."""

from __future__ import annotations

import json
import re
import unicodedata

SHOWN = 300
"""Characters of one text shown at the most."""

_MARKDOWN = re.compile(r"[\\`*_\[\]#!|~$]|(?<!\w)@(?=\w)|:(?=//)|(?<=www)\.|^[-+>]|^\d+(?=[.)])")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")
# categories that draw nothing, move the cursor or reorder what is around them
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str, limit: int = SHOWN) -> str:
    """One line of text with every control, format, bidi or unassigned character written as an escape, cut to ``limit``."""
    cut = text[: limit + 1]
    shown = "".join(_spell(ch) if unicodedata.category(ch) in _UNSAFE else ch for ch in cut[:limit])
    return f"{shown} … (+{len(text) - limit:,} characters)" if len(cut) > limit else shown


def markdown(text: str, limit: int = SHOWN) -> str:
    """``visible`` text that Markdown renders as itself: no markup, HTML, link or mention, and no table cell ends early.

    Spaces at its ends are dropped: they would make code of it, or break emphasis around it.
    """
    plain = visible(text, limit).strip().replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(_spell_markup, plain)


def json_visible(document: str) -> str:
    """A JSON document that says the same with every character written as an escape that ``visible`` would not show."""
    if document.isascii():
        return document.replace("\x7f", "\\u007f")
    return _BEYOND_ASCII.sub(_spell_json, document)


def _spell_json(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1] if unicodedata.category(found[0]) in _UNSAFE else found[0]


def _spell_markup(found: re.Match[str]) -> str:
    # numbers and mentions have no backslash form; an entity is never markup
    return "".join(f"&#{ord(ch)};" if ch.isdigit() or ch in "@:." else f"\\{ch}" for ch in found[0])


def _spell(ch: str) -> str:
    code = ord(ch)
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(ch) or (f"\\x{code:02x}" if code < 256 else f"\\u{{{code:04x}}}")
