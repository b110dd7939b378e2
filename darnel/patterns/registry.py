"""Patterns by name; third parties add theirs through the entry-point group ``darnel.patterns``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points

from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.pattern import Dose, Pattern
from darnel.patterns.answer import ANSWER
from darnel.patterns.controls import CONTROL, HONEST
from darnel.patterns.echo import ECHO
from darnel.patterns.flood import FLOOD
from darnel.patterns.keywords import KEYWORDS

ENTRY_POINTS = "darnel.patterns"
MOST_STRENGTH = 1_000

BUILT_IN: Mapping[str, Pattern] = {p.name: p for p in (CONTROL, HONEST, ECHO, KEYWORDS, ANSWER, FLOOD)}


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


def parse_doses(given: Iterable[str | Pattern | Dose] = (), *, controls: bool = True) -> list[Dose]:
    """Doses from ``name``, ``name:strength``, patterns or doses; all patterns at their default where none is given.

    With ``controls`` the two controls come first whether named or not: without them a score says little.

    Raises:
        UnknownNameError: no pattern of that name.
        UsageError: the strength is no whole number from 1 to 1,000.
    """
    patterns = known_patterns()
    doses = [_dose(item, patterns) for item in given] or [Dose(p, p.default_strength) for p in patterns.values()]
    named = {dose.pattern.name for dose in doses}
    missing = [Dose(p, p.default_strength) for p in (CONTROL, HONEST) if controls and p.name not in named]
    unique = {dose.label: dose for dose in (*missing, *doses)}
    return sorted(unique.values(), key=lambda dose: not dose.pattern.is_control)


def _dose(item: str | Pattern | Dose, patterns: Mapping[str, Pattern]) -> Dose:
    if isinstance(item, Dose):
        return item
    if not isinstance(item, str):
        return Dose(item, item.default_strength)
    name, colon, strength = item.partition(":")
    if name not in patterns:
        raise UnknownNameError("pattern", name, patterns)
    pattern = patterns[name]
    if not colon:
        return Dose(pattern, pattern.default_strength)
    if not strength.isdecimal() or not 1 <= int(strength) <= MOST_STRENGTH:
        raise UsageError(
            f"pattern '{item}': the strength ({pattern.dose}) is a whole number from 1 to {MOST_STRENGTH:,}"
        )
    return Dose(pattern, int(strength))
