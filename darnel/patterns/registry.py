"""Patterns by name; third parties add theirs through the entry-point group ``darnel.patterns``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points

from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.pattern import Dose, Pattern
from darnel.patterns.answer import ANSWER
from darnel.patterns.characters import HOMOGLYPH_ECHO, ZERO_WIDTH_ECHO
from darnel.patterns.controls import CONTROL, HONEST
from darnel.patterns.echo import ECHO, ECHO_END
from darnel.patterns.fields import TAGS, TITLE
from darnel.patterns.flood import FLOOD
from darnel.patterns.hidden import COMMENT, CSS
from darnel.patterns.host import HOST, HOST_ECHO
from darnel.patterns.keywords import KEYWORDS
from darnel.patterns.length import DILUTE, STRADDLE
from darnel.patterns.template import is_template_file, load_template
from darnel.patterns.topics import TRIGGER, TWIN
from darnel.patterns.vectors import HUB, SWAP
from darnel.patterns.wording import PARTIAL, TERM_DUMP

ENTRY_POINTS = "darnel.patterns"
MOST_STRENGTH = 1_000

ALL = "all"
"""Given as a pattern: every one that this corpus and these queries give something to work with."""
DEFAULT: tuple[Pattern, ...] = (CONTROL, HONEST, ECHO, KEYWORDS, ANSWER, FLOOD)
"""Run where none is named: cheap, and enough to tell whether stuffing works at all."""
FURTHER: tuple[Pattern, ...] = (
    *(
        ECHO_END,
        TITLE,
        TAGS,
        HOST,
        HOST_ECHO,
        PARTIAL,
        TERM_DUMP,
        STRADDLE,
        COMMENT,
        CSS,
        ZERO_WIDTH_ECHO,
        HOMOGLYPH_ECHO,
    ),
    *(DILUTE, TRIGGER, TWIN, HUB, SWAP),
)
BUILT_IN: Mapping[str, Pattern] = {p.name: p for p in (*DEFAULT, *FURTHER)}


def known_patterns() -> dict[str, Pattern]:
    """Built-in and third-party patterns, by name, controls first.

    Raises:
        UsageError: two packages claim one name, or an entry point is no pattern.
    """
    found = dict(BUILT_IN)
    for point in entry_points(group=ENTRY_POINTS):
        pattern = point.load()
        if not isinstance(pattern, Pattern):
            raise UsageError(f"the entry point '{point.name}' ({point.value}) is no pattern; see CONTRIBUTING")
        if point.name in found or pattern.name != point.name:
            raise UsageError(f"the pattern name '{point.name}' is taken, or is not what {point.value} calls itself")
        found[point.name] = pattern
    return found


def parse_doses(
    given: Iterable[str | Pattern | Dose] = (), *, controls: bool = True, strengths: Sequence[int] = ()
) -> list[Dose]:
    """Doses from ``name``, ``name:strength``, a template file, ``all``, patterns or doses; the default ones where none is
    given.

    ``echo:1,3,5`` is three doses; ``strengths`` are those of every pattern that names none of its own, controls excepted.
    With ``controls`` the two controls come first whether named or not: without them a score says little.

    Raises:
        UnknownNameError: no pattern of that name.
        UsageError: the strength is no whole number from 1 to 1,000.
    """
    patterns = known_patterns()
    asked: list[str | Pattern | Dose] = list(given) or list(DEFAULT)
    doses = [dose for item in asked for dose in _doses(item, patterns, strengths)]
    named = {dose.pattern.name for dose in doses}
    missing = [Dose(p, p.default_strength) for p in (CONTROL, HONEST) if controls and p.name not in named]
    unique = {dose.label: dose for dose in (*missing, *doses)}
    return sorted(unique.values(), key=lambda dose: not dose.pattern.is_control)


def _doses(item: str | Pattern | Dose, patterns: Mapping[str, Pattern], strengths: Sequence[int]) -> list[Dose]:
    if isinstance(item, Dose):
        return [item]
    if item == ALL:
        return [dose for p in patterns.values() for dose in _at(p, strengths, optional=not p.is_control)]
    if not isinstance(item, str):
        return _at(item, strengths)
    name, colon, given = item.partition(":")
    if is_template_file(name):
        patterns = {**patterns, name: load_template(name)}
    if name not in patterns:
        raise UnknownNameError("pattern", name, patterns)
    pattern = patterns[name]
    return (
        [Dose(pattern, _strength(item, part, pattern)) for part in given.split(",")]
        if colon
        else _at(pattern, strengths)
    )


def _at(pattern: Pattern, strengths: Sequence[int], *, optional: bool = False) -> list[Dose]:
    chosen = [pattern.default_strength] if pattern.is_control or not strengths else strengths
    return [Dose(pattern, strength, optional) for strength in chosen]


def _strength(item: str, given: str, pattern: Pattern) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= MOST_STRENGTH:
        raise UsageError(
            f"pattern '{item}': the strength ({pattern.dose}) is a whole number from 1 to {MOST_STRENGTH:,}"
        )
    return int(given)


def parse_strengths(text: str | None) -> list[int]:
    """``1,3,5``.

    Raises:
        UsageError: one is no whole number from 1 to 1,000.
    """
    found = [part.strip() for part in (text or "").split(",") if part.strip()]
    for part in found:
        if not part.isdecimal() or not 1 <= int(part) <= MOST_STRENGTH:
            raise UsageError(f"--strengths {text}: give whole numbers from 1 to {MOST_STRENGTH:,}, for instance 1,3,5")
    return [int(part) for part in found]
