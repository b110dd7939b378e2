"""The table of broken injectors and the tests that catch them, as ``docs/conformance.md`` holds it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from .broken import BROKEN, MEMORY

DOCUMENT = Path(__file__).parents[2] / "docs" / "conformance.md"
BEGIN, END = "<!-- broken: begin -->", "<!-- broken: end -->"
NAMED = 4
"""Tests named in a row at the most; the one that was written for the fault comes first."""


def sentence(name: str) -> str:
    """How an injector is broken."""
    return " ".join((BROKEN[name].__doc__ or "").split())


def row(name: str, caught: Sequence[str]) -> str:
    """One line of the table. ``caught``: every test that failed, in the order of the suite."""
    first = BROKEN[name].caught_by
    named = [first, *(test for test in caught if test != first)][:NAMED]
    rest = f", and {len(caught) - len(named)} more" if len(caught) > len(named) else ""
    store = "memory" if name in MEMORY else "Chroma"
    return f"| `{name}` ({store}) | {sentence(name)} | {', '.join(f'`{test}`' for test in named)}{rest} |"


def render(caught: Mapping[str, Sequence[str]]) -> str:
    """The whole table."""
    by_chroma = sum(name not in MEMORY for name in caught)
    head = f"{len(caught)} broken injectors, {len(caught) - by_chroma} on memory and {by_chroma} on Chroma; each is caught."
    lines = [
        "| injector | what is wrong with it | caught by |",
        "|---|---|---|",
        *(row(n, t) for n, t in caught.items()),
    ]
    return "\n".join([BEGIN, head, "", *lines, END])


def documented() -> dict[str, tuple[str, list[str]]]:
    """Injector → its sentence and the tests named, as the document has them."""
    text = DOCUMENT.read_text(encoding="utf-8")
    lines = text[text.index(BEGIN) : text.index(END)].splitlines()
    found = {}
    for line in lines:
        if match := re.fullmatch(r"\| `(\w+)` \(\w+\) \| (.*) \| (.*) \|", line):
            found[match[1]] = (match[2], re.findall(r"`(test_\w+)`", match[3]))
    return found


def replace_table(caught: Mapping[str, Sequence[str]]) -> None:
    """Write the table into the document, between its marks."""
    text = DOCUMENT.read_text(encoding="utf-8")
    start, end = text.index(BEGIN), text.index(END) + len(END)
    DOCUMENT.write_text(text[:start] + render(caught) + text[end:], encoding="utf-8")
