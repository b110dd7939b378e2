"""What of a Markdown or plain text is prose: code and tables repeat words and quote attacks for good reasons."""

from __future__ import annotations

import re

_CODE_SPAN = re.compile(r"(`{1,3})(?!`)[^`\n]{1,400}\1(?!`)")
_FENCE = re.compile(r"[ \t>]{0,12}(`{3,}|~{3,})")
_TABLE = re.compile(r"\s*\|.*\||[^|\n]*\|[^|\n]*\|")
_RULE_ROW = re.compile(r"^[ \t]{0,9}\|?[ \t]{0,9}:?-{2,400}:?[ \t]{0,9}\|", re.MULTILINE)
"""The row under a table's head; without one, lines with bars in them are no table."""
_HINTS = re.compile(r"`|~~~|\||^(?: {4}|\t)", re.MULTILINE)


def prose_of(text: str) -> str:
    """The text with fenced code, code spans, indented blocks and table rows blanked; lengths and lines stay as they are."""
    if not _HINTS.search(text):
        return text
    lines = text.split("\n")
    fence, blank_before = "", True
    tables = "|" in text and _RULE_ROW.search(text) is not None
    for number, line in enumerate(lines):
        opening = _FENCE.match(line)
        if fence:
            lines[number] = " " * len(line)
            if opening and opening[1].startswith(fence):
                fence = ""
        elif opening:
            fence, lines[number] = opening[1], " " * len(line)
        elif _is_indented_code(line, blank_before) or (tables and _TABLE.match(line[:2_000])):
            lines[number] = " " * len(line)
            continue  # a block goes on as it began
        elif "`" in line:
            lines[number] = _CODE_SPAN.sub(lambda found: " " * len(found[0]), line)
        blank_before = not line.strip()
    return "\n".join(lines)


def _is_indented_code(line: str, blank_before: bool) -> bool:
    return blank_before and line.startswith(("    ", "\t")) and bool(line.strip())
