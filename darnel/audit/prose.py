"""What of a Markdown or plain text is prose: code and tables repeat words and quote attacks for good reasons."""

from __future__ import annotations

import re

_CODE_SPAN = re.compile(r"(`{1,3})(?!`)[^`\n]{1,400}\1(?!`)")
_FENCE = re.compile(r"[ \t>]{0,12}(`{3,}|~{3,})")
_TABLE = re.compile(r"\s*\|.*\||[^|\n]*\|[^|\n]*\|")
_RULE_ROW = re.compile(r"^[ \t]{0,9}\|?[ \t]{0,9}:?-{2,400}:?[ \t]{0,9}\|", re.MULTILINE)
"""The row under a table's head; without one, lines with bars in them are no table."""
HINTS = r"`|~~~|\||\n    |\n\t|\A    |\A\t|://|\{ ?#|>>> |\n\$ "
"""A text without a match for this (of re and of RE2) is prose throughout."""
_HINTS = re.compile(HINTS)
_NAMES = re.compile(r"https?://[^\s<>()\[\]\"']{1,2000}|\{ ?#[^{}\n]{1,200}\}")
BLANK = "\x1f"
"""What stands in the place of each character that is no prose: no space, so that what it parts stays parted."""


def prose_of(text: str) -> str:
    """The text with code (fenced, indented, in a line), table rows, addresses and anchors blanked; lengths and lines stay."""
    if _HINTS.search(text) is None:
        return text
    text = _NAMES.sub(_blank, text)
    lines = text.split("\n")
    fence, blank_before = "", True
    tables = "|" in text and _RULE_ROW.search(text) is not None
    for number, line in enumerate(lines):
        opening = _FENCE.match(line)
        if fence:
            lines[number] = BLANK * len(line)
            if opening and opening[1].startswith(fence):
                fence = ""
        elif opening:
            fence, lines[number] = opening[1], BLANK * len(line)
        elif _is_prompt(line) or _is_indented_code(line, blank_before) or (tables and _TABLE.match(line[:2_000])):
            lines[number] = BLANK * len(line)
            continue  # a block goes on as it began
        elif "`" in line:
            lines[number] = _CODE_SPAN.sub(_blank, line)
        blank_before = not line.strip()
    return "\n".join(lines)


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found[0])


def _is_prompt(line: str) -> bool:
    """A line of an interactive session."""
    return line.lstrip().startswith((">>> ", "... ", "$ "))


def _is_indented_code(line: str, blank_before: bool) -> bool:
    return blank_before and line.startswith(("    ", "\t")) and bool(line.strip())
