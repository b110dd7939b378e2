"""Failures that somebody has accepted for a time: a gate that fails for a known reason until a date."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from darnel.core.errors import UnknownNameError
from darnel.core.plant import names_of
from darnel.core.results import GateResult, Suppressed

_CONDITION = re.compile(r"(.*?)(>=|<=|>|<)\s*(\S+)")
RISE = "rise@"
"""How the conditions of ``--baseline`` begin; without a baseline there are none, and their suppressions rest."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """A condition that may fail, to the end of the day ``until`` (UTC). ``pattern``: only for it, at any strength where
    it names none; None for every pattern."""

    condition: str
    reason: str
    until: date
    pattern: str | None = None

    def excuses(self, condition: str, label: str) -> bool:
        """Whether it is of this condition and of this pattern."""
        names = names_of(label)
        bare = condition.strip()
        for name in names:
            bare = bare.removeprefix(f"{name} ")
        given = {_canonical(text) for text in (bare, *(f"{name} {bare}" for name in names))}
        return self.pattern in (None, *names) and bool(given.intersection(self._forms()))

    def is_of(self, condition: str) -> bool:
        """Whether it is of this condition, for some pattern."""
        _, _, without = self.condition.strip().partition(" ")
        return _canonical(condition) in {*self._forms(), _canonical(without)}

    def _forms(self) -> set[tuple[str, ...]]:
        return {_canonical(self.condition), _canonical(f"{self.pattern or ''} {self.condition}")}

    def __str__(self) -> str:
        return f"'{self.condition}'" + (f" for {self.pattern}" if self.pattern else "")


def in_force(
    suppressions: Sequence[Suppression], conditions: Sequence[str], labels: Sequence[str], today: date
) -> tuple[list[Suppression], list[str]]:
    """The suppressions that hold today, and what is to be warned of.

    Args:
        suppressions: those given.
        conditions: every condition that the run will judge.
        labels: the patterns of the run.
        today: the day of the run.

    Raises:
        UnknownNameError: one is of no condition of the run; offers the nearest.
    """
    valid, warnings = [], []
    names = {name for label in labels for name in names_of(label)}
    for one in suppressions:
        if not any(one.is_of(condition) for condition in conditions):
            if RISE in one.condition and not any(RISE in condition for condition in conditions):
                continue
            raise UnknownNameError("condition in [[suppress]]", one.condition, conditions)
        if one.until < today:
            warnings.append(
                f"{ended(str(one), one.until, one.reason)}, so a failure counts; mend it, or give [[suppress]] a later date"
            )
            continue
        if one.pattern not in (None, *names):
            warnings.append(f"the suppression of {one} is of a pattern that this run does not have")
        valid.append(one)
    return valid, warnings


def ended(what: str, until: date, reason: str) -> str:
    """The beginning of a warning that a suppression is over."""
    return f"the suppression of {what} ended on {until} ({reason})"


def settle(
    condition: str,
    failed: Mapping[str, str],
    unclear: Sequence[str],
    passed: str,
    suppressions: Sequence[Suppression] = (),
) -> GateResult:
    """The verdict on a condition, once what is suppressed is taken out of what failed.

    Args:
        condition: its text.
        failed: the patterns it holds for, each with what was found.
        unclear: in words, what keeps it from passing.
        passed: in words, what passed where everything did.
        suppressions: those in force.
    """
    accepted = {label: next((one for one in suppressions if one.excuses(condition, label)), None) for label in failed}
    left = [label for label, one in accepted.items() if one is None]
    excused = [Suppressed(label, one.reason, one.until.isoformat()) for label, one in accepted.items() if one]
    notes = [f"{failed[one.pattern]} suppressed until {one.until}: {one.reason}" for one in excused]
    if left:
        return GateResult(condition, "failed", "; ".join([", ".join(failed[x] for x in left), *notes]), left, excused)
    if unclear:
        return GateResult(condition, "unclear", "; ".join([", ".join(unclear), *notes]), [], excused)
    if excused:
        return GateResult(condition, "suppressed", "; ".join(notes), [], excused)
    return GateResult(condition, "passed", passed)


def _canonical(condition: str) -> tuple[str, ...]:
    """The same for every way to write a condition: ``exposure@5>20%`` is ``exposure@5 > 0.2``."""
    found = _CONDITION.fullmatch(condition.strip())
    if found is None:
        return (condition.strip(),)
    left, op, number = found.groups()
    try:
        value = round(float(number.rstrip("%")) / (100 if number.endswith("%") else 1), 9)
    except ValueError:
        return (" ".join(left.split()), op, number)
    return (" ".join(left.split()), op, str(value))
