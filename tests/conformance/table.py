"""What is generated in ``docs/conformance.md``: promises, abilities, and which tests catch which broken injector."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from darnel.testing import PROMISES
from darnel.testing.declared import sentences

from .broken import BROKEN, MEMORY

DOCUMENT = Path(__file__).parents[2] / "docs" / "conformance.md"
NAMED = 4
"""Tests named in a row at the most; the one that was written for the fault comes first."""
BY_CHANCE = {"test_campaigns_at_the_same_time", "test_any_history_leaves_the_owners_records_alone"}
"""These may or may not fail where something else is wrong, by how threads take turns or by the histories that the installed
Hypothesis thinks of; so they are named and counted only where they were written for the fault."""


def block(name: str) -> str:
    """A generated part of the document, without its marks."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return text.partition(f"<!-- {name}: begin -->\n")[2].partition(f"<!-- {name}: end -->")[0]


def replace_block(name: str, content: str) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    head, begin, rest = text.partition(f"<!-- {name}: begin -->\n")
    DOCUMENT.write_text(head + begin + content + rest[rest.index(f"<!-- {name}: end -->") :], encoding="utf-8")


def promises() -> str:
    """One line for each promise: its class, its sentence, its number of tests."""
    lines = ["| class | promise | tests |", "|---|---|---|"]
    for promise in PROMISES:
        said = " ".join((sys.modules[promise.__module__].__doc__ or "").split()).removeprefix("Promise: ")
        count = sum(name.startswith("test_") for name in vars(promise))
        lines.append(f"| `{promise.__name__}` | {said[0].upper()}{said[1:]} | {count} |")
    return "\n".join(lines) + "\n"


def abilities() -> str:
    return "".join(f"- `{name}`: {sentence}\n" for name, sentence in sentences().items())


def sentence(name: str) -> str:
    """How an injector is broken."""
    return " ".join((BROKEN[name].__doc__ or "").split())


def row(name: str, caught: Sequence[str]) -> str:
    """One line of the table. ``caught``: every test that failed, in the order of the suite."""
    first = BROKEN[name].caught_by
    tests = [first, *(test for test in caught if test not in {first, *BY_CHANCE})]
    named = tests[:NAMED]
    rest = f", and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
    store = "memory" if name in MEMORY else "Chroma"
    return f"| `{name}` ({store}) | {sentence(name)} | {', '.join(f'`{test}`' for test in named)}{rest} |"


def broken(caught: Mapping[str, Sequence[str]]) -> str:
    """The whole table."""
    by_chroma = sum(name not in MEMORY for name in caught)
    head = f"{len(caught)} broken injectors, {len(caught) - by_chroma} on memory and {by_chroma} on Chroma; each is caught."
    lines = [
        "| injector | what is wrong with it | caught by |",
        "|---|---|---|",
        *(row(n, t) for n, t in caught.items()),
    ]
    return "\n".join([head, "", *lines]) + "\n"


def documented() -> dict[str, tuple[str, list[str]]]:
    """Injector → its sentence and the tests named, as the document has them."""
    found = {}
    for line in block("broken").splitlines():
        if match := re.fullmatch(r"\| `(\w+)` \(\w+\) \| (.*) \| (.*) \|", line):
            found[match[1]] = (match[2], re.findall(r"`(test_\w+)`", match[3]))
    return found
