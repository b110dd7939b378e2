"""Text of a page that a reader of the rendered page does not see: comments, and elements that styling hides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Severity, Span
from darnel.core.text import words

FEWEST_WORDS = 4
"""Hidden text of fewer words is a label, a switch for a tool, or an icon."""
DEEPEST = 500
"""Open elements beyond which a page is not parsed: no reader's page is, and parsers take quadratic time on it."""
_CUE = re.compile(r"<!--|style\s{0,9}=|\bhidden\b|<style|<template", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_FREE = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "td",
        "th",
        "tr",
        "dt",
        "dd",
        "option",
        "thead",
        "tbody",
    ]
)
_NOTICE = re.compile(r"copyright|\(c\)|licen[cs]ed? |spdx-|all rights reserved", re.IGNORECASE)
"""In a comment that opens a page; anywhere else the word excuses nothing."""
_HIDING = (
    ("display:none", "high"), ("visibility:hidden", "high"), ("font-size:0", "high"), ("opacity:0", "high"),
    ("text-indent:-", "medium"), ("left:-", "medium"), ("top:-", "medium"), ("clip:rect(0", "medium"),
    ("color:transparent", "high"), ("color:#fff", "medium"),
    ("color:#ffffff", "medium"), ("color:white", "medium"), ("height:0", "medium"),
)  # fmt: skip
_ZERO = re.compile(r"(?:font-size|opacity|height):0(?:px|em|rem|pt|%)?(?:;|$)")


_SHOWN_LATER = frozenset(("role", "aria-labelledby", "aria-label"))
"""What the panels of tabs and accordions have, which a click shows."""


@dataclass(frozen=True, slots=True)
class _Piece:
    record: Ref
    severity: Severity
    how: str
    span: Span
    line: int


class HiddenText(BaseDetector):
    """The same hidden text in several records is a template of the site, and is reported once with its count."""

    name = "hidden-text"
    summary = "Comments and styled-away elements of HTML in the text, by an HTML parser."
    blind = (
        "A comment that opens a page as a notice of copyright; hiding by style sheets outside the record, by scripts, by "
        "images, or in files whose text was extracted before."
    )
    advice = "Ingest what a reader sees: strip comments and hidden elements before embedding."
    alone = True
    splits = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._pieces: dict[bytes, list[_Piece]] = {}

    def look(self, entry: Entry) -> Iterator[Finding]:
        """See ``BaseDetector.look``."""
        if "<" not in entry.text or not _CUE.search(entry.text):
            return
        page = entry.prose
        if _depth(page) > DEEPEST:
            why = f"More than {DEEPEST} elements are open at once, so what the page shows was not worked out."
            yield self.finding(entry, "low", DEEPEST, why)
            return
        for how, severity, text in hidden_parts(page):
            at = page.find(text.strip())  # as it stands there, with the code that the page has blanked
            written = text if at < 0 else entry.text[at : at + len(text.strip())]
            start = at if at >= 0 else max(0, page.find(text[:40].strip()))
            notice = how == "a comment" and start < 100 and _NOTICE.search(text)
            if notice or _count(text) < FEWEST_WORDS:
                continue
            shown = Span(start, min(len(entry.text), start + len(text)), f"{how}: {' '.join(written.split())[:160]}")
            line = entry.text.count("\n", 0, start) + 1
            key = hashlib.blake2b(f"{how} {' '.join(words(written))}".encode(), digest_size=12).digest()
            self._pieces.setdefault(key, []).append(_Piece(Ref(entry.id, entry.source), severity, how, shown, line))

    def merge(self, other: Self) -> None:
        """See ``BaseDetector.merge``."""
        for key, pieces in other._pieces.items():
            self._pieces.setdefault(key, []).extend(pieces)

    def finish(self) -> Iterator[Finding]:
        """One finding a hidden text, however many records share it."""
        for pieces in self._pieces.values():
            records = sorted({p.record for p in pieces})
            first = min(pieces, key=lambda p: (p.record, p.span.start))
            why = f"Text that a reader does not see stands in {first.how}."
            if len(records) > 1:
                why += f" The same stands in {len(records)} records: {', '.join(r.id for r in records[:10])}."
            made = self.finding(first.record, first.severity, len(words(first.span.what)), why, [first.span])
            yield _at_line(made, first.line)


def _count(text: str) -> int:
    """Words, where a switch for a tool such as ``markdown-link-check-disable`` is one; in scripts without spaces, about."""
    return max(len(text.split()), 0 if text.isascii() else len(text.strip()) // 4)


def hidden_parts(page: str) -> Iterator[tuple[str, Severity, str]]:
    """What is hidden in a page: how, how bad, and the text."""
    for node in _parse(page).root.traverse(include_text=True):
        if node.tag == "-comment":
            yield "a comment", "medium", node.comment_content or ""
        elif node.tag == "template":
            yield "a template", "low", node.text(deep=True, separator=" ")
        elif node.tag and node.tag[0] != "-" and (hiding := _hiding(node)):
            how, severity = hiding
            yield how, severity, node.text(deep=True, separator=" ")


def _hiding(node: Any) -> tuple[str, Severity] | None:
    attributes = node.attributes
    if "hidden" in attributes and node.tag not in ("input", "body", "html") and not _SHOWN_LATER & attributes.keys():
        return "an element with the attribute hidden", "low"
    style = (attributes.get("style") or "").lower()
    if not style:
        return None
    packed = "".join(style.split())
    for rule, severity in _HIDING:
        if rule in packed and (not rule.endswith(":0") or _ZERO.search(packed)):
            if rule in ("color:#fff", "color:#ffffff", "color:white") and (
                rule not in packed.split(";") or "background" in packed
            ):
                continue  # white on a ground of another colour, or only the ground is white
            return f"an element styled {rule}", severity  # type: ignore[return-value]  # mypy widens the table's literals
    return None


def _parse(page: str) -> Any:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(f"<body>{page}")  # a comment before the body would hang beside the tree


def _depth(page: str) -> int:
    """The most elements open at once, those left out whose end may be left out."""
    depth = deepest = 0
    for found in _TAG.finditer(page):
        if found[2].lower() not in _FREE:
            depth = depth - 1 if found[1] and depth else depth + (not found[1])
            deepest = max(deepest, depth)
    return deepest


def _at_line(finding: Finding, line: int) -> Finding:
    import msgspec

    return msgspec.structs.replace(finding, line=line)
