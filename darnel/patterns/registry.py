"""Patterns by name; third parties add theirs through the entry-point group ``darnel.patterns``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.pattern import Dose, Pattern
from darnel.core.payload import Payload
from darnel.patterns.answer import ANSWER
from darnel.patterns.base import repeated
from darnel.patterns.characters import HOMOGLYPH_ECHO, ZERO_WIDTH_ECHO
from darnel.patterns.controls import CONTROL, HONEST
from darnel.patterns.echo import ECHO, ECHO_END
from darnel.patterns.entries import with_entries
from darnel.patterns.fields import TAGS, TITLE
from darnel.patterns.flood import FLOOD
from darnel.patterns.hidden import COMMENT, CSS
from darnel.patterns.host import HOST, HOST_ECHO
from darnel.patterns.keywords import KEYWORDS
from darnel.patterns.length import DILUTE, STRADDLE
from darnel.patterns.payloads.registry import each, parse_payloads
from darnel.patterns.template import is_template_file, load_template
from darnel.patterns.topics import TRIGGER, TWIN
from darnel.patterns.vectors import HUB, SWAP
from darnel.patterns.wording import PARTIAL, TERM_DUMP

ENTRY_POINTS = "darnel.patterns"
MOST_STRENGTH = 1_000
MOST_COPIES = 100

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
    return with_entries(BUILT_IN, ENTRY_POINTS, Pattern, "pattern")  # type: ignore[type-abstract]  # a protocol, checked at run time


def parse_doses(
    given: Iterable[str | Pattern | Dose] = (),
    *,
    controls: bool = True,
    strengths: Sequence[int] = (),
    copies: Sequence[int] = (),
    payloads: Iterable[str | Payload] = (),
) -> list[Dose]:
    """Doses from ``name``, ``name:strength``, a template file, ``all``, patterns or doses; the default ones where none is
    given.

    ``echo:1,3,5`` is three doses, ``echo*4:3`` has each plant of ``echo:3`` four times; ``strengths`` and ``copies`` are
    those of every pattern that names none of its own, controls excepted. With ``controls`` the two controls come first
    whether named or not: without them a score says little. With ``payloads`` each dose is given once for each of them, the
    controls too, so that a control is as long as what it is compared with.

    Raises:
        UnknownNameError: no pattern, or no payload, of that name.
        UsageError: a strength is no whole number from 1 to 1,000, or copies none from 1 to 100.
    """
    patterns = known_patterns()
    asked: list[str | Pattern | Dose] = each(given) or list(DEFAULT)
    doses = [dose for item in asked for dose in _doses(item, patterns, strengths, copies)]
    if says := parse_payloads(payloads):
        doses = [replace(dose, payload=payload) for payload in says for dose in doses]
    unique = {dose.label: dose for dose in (*(_missing_controls(doses) if controls else ()), *doses)}
    return sorted(unique.values(), key=lambda dose: not dose.pattern.is_control)


def _missing_controls(doses: Sequence[Dose]) -> list[Dose]:
    named = {(dose.pattern.name, dose.payload) for dose in doses}
    said = dict.fromkeys(dose.payload for dose in doses)
    pairs = [(pattern, payload) for payload in said for pattern in (CONTROL, HONEST)]
    return [Dose(p, p.default_strength, payload=payload) for p, payload in pairs if (p.name, payload) not in named]


def _doses(
    item: str | Pattern | Dose, patterns: Mapping[str, Pattern], strengths: Sequence[int], copies: Sequence[int]
) -> list[Dose]:
    if isinstance(item, Dose):
        return [item]
    if item == ALL:
        every = [dose for p in patterns.values() for dose in _at(p, strengths, optional=not p.is_control)]
        return _each(every, copies)
    if not isinstance(item, str):
        return _each(_at(item, strengths), copies)
    head, colon, given = item.partition(":")
    name, star, times = head.partition("*")
    if is_template_file(name):
        patterns = {**patterns, name: load_template(name)}
    if name not in patterns:
        raise UnknownNameError("pattern", name, patterns)
    pattern = patterns[name]
    if star and pattern.is_control:
        raise UsageError(f"pattern '{item}': a control is planted once for each question; leave '*{times}' away")
    doses = (
        [Dose(pattern, _strength(item, part, pattern)) for part in given.split(",")]
        if colon
        else _at(pattern, strengths)
    )
    return _each(doses, [_whole(times, MOST_COPIES, f"pattern '{item}': the copies")] if star else copies)


def _at(pattern: Pattern, strengths: Sequence[int], *, optional: bool = False) -> list[Dose]:
    chosen = [pattern.default_strength] if pattern.is_control or not strengths else strengths
    return [Dose(pattern, strength, optional) for strength in chosen]


def _each(doses: Sequence[Dose], copies: Sequence[int]) -> list[Dose]:
    """Every dose in each number of copies; of the controls there is one."""
    return [
        replace(dose, pattern=repeated(dose.pattern, times))
        for dose in doses
        for times in ([1] if dose.pattern.is_control else copies or [1])
    ]


def _strength(item: str, given: str, pattern: Pattern) -> int:
    return _whole(given, MOST_STRENGTH, f"pattern '{item}': the strength ({pattern.dose})")


def _whole(given: str, most: int, what: str) -> int:
    if not given.isdecimal() or not 1 <= int(given) <= most:
        raise UsageError(f"{what} is a whole number from 1 to {most:,}")
    return int(given)
