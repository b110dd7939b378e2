"""Patterns written as a TOML file: a text with named slots, for whoever does not want to write Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

from darnel.core.errors import PlantError, UsageError
from darnel.core.pattern import About, CraftRequest
from darnel.core.text import content_terms
from darnel.patterns.base import Recipe


def _passage(request: CraftRequest) -> str:
    if not request.passages:
        raise PlantError("the template names {passage} and the query returned none")
    return request.passages[request.copy % len(request.passages)]


SLOTS: Mapping[str, Callable[[CraftRequest], str]] = {
    "query": lambda r: r.query,
    "terms": lambda r: " ".join(content_terms(r.query)),
    "bait": lambda r: " ".join([r.query] * r.strength),
    "stuffing": lambda r: " ".join(content_terms(r.query) * r.strength),
    "body": lambda r: r.body,
    "marker": lambda r: r.marker,
    "passage": _passage,
    "copy": lambda r: str(r.copy + 1),
}
"""What a template may name, each in braces."""
KEYS = ("name", "summary", "dose", "text", "default_strength", "copies")
_NAME = re.compile(r"[a-z][a-z0-9-]*")


def is_template_file(name: str) -> bool:
    """Whether a pattern's name is a file's."""
    return name.endswith(".toml")


def load_template(path: str) -> Recipe:
    """Read a pattern from a file with ``name``, ``text`` and, if wanted, ``summary``, ``dose``, ``default_strength`` and
    ``copies`` (documents a query; ``"strength"``: as many as the strength says).

    Raises:
        UsageError: names the file and the line, and says what was expected there.
    """
    try:
        source = Path(path).read_text(encoding="utf-8")
        fields = tomllib.loads(source)
    except OSError as error:
        raise UsageError(f"cannot read the pattern {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is no UTF-8 text; save it as such") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: no TOML: {error}") from None  # with the line, or "at end of document"

    def refuse(key: str, why: str) -> UsageError:
        return UsageError(f"{path}:{_line_of(key, source)}: {why}")

    slots = _checked(fields, refuse)
    strength, copies, text = fields.get("default_strength", 1), fields.get("copies", 1), fields["text"]
    return Recipe(
        name=fields["name"],
        summary=_sentence(fields.get("summary"), f"The template {Path(path).name}."),
        dose=str(fields.get("dose", "strength")),
        text=lambda request: Formatter().vformat(text, (), {slot: SLOTS[slot](request) for slot in slots}),
        default_strength=strength,
        needs_passages="passage" in slots,
        plants=(lambda given: given) if copies == "strength" else (lambda _given: copies),
        about=About("template"),
    )


def _checked(fields: Mapping[str, Any], refuse: Callable[[str, str], UsageError]) -> frozenset[str]:
    """The slots of the text, once every key is as it should be."""
    for key in fields:
        if key not in KEYS:
            raise refuse(key, f"unknown key '{key}'; known: {', '.join(KEYS)}")
    name, text = fields.get("name"), fields.get("text")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise refuse("name", 'give name = "..." in small letters, digits and hyphens')
    if not isinstance(text, str):
        raise refuse("text", 'give text = "..." with slots such as {query} and {body}')
    strength, copies = fields.get("default_strength", 1), fields.get("copies", 1)
    if not isinstance(strength, int) or isinstance(strength, bool) or not 1 <= strength <= 1_000:
        raise refuse("default_strength", "default_strength is a whole number from 1 to 1,000")
    if copies != "strength" and (not isinstance(copies, int) or isinstance(copies, bool) or not 1 <= copies <= 1_000):
        raise refuse("copies", 'copies is a whole number from 1 to 1,000, or "strength"')
    return _slots(text, lambda why: refuse("text", why))


def _slots(text: str, refuse: Callable[[str], UsageError]) -> frozenset[str]:
    try:
        named = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text) if name is not None]
    except ValueError as error:
        raise refuse(f"{error}; write {{{{ and }}}} for braces that are none of a slot's") from None
    for name, spec, conversion in named:
        if name not in SLOTS or spec or conversion:
            raise refuse(f"unknown slot {{{name}}}; known: {', '.join(SLOTS)}")
    slots = frozenset(name for name, _, _ in named)
    if not slots & {"body", "marker"}:
        raise refuse("the text needs {body} or {marker}, or nothing could be recognised")
    return slots


def _sentence(given: Any, otherwise: str) -> str:
    text = str(given).strip() if given else otherwise
    return text if text.endswith(".") else f"{text}."


def _line_of(key: str, source: str) -> int:
    """The line where a key stands; 1 for one that is missing."""
    for number, line in enumerate(source.splitlines(), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return number
    return 1
