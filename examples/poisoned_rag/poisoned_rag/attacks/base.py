"""What an attack is: a payload of darnel's, a pattern that gets it found, and the tools that it needs to be offered."""

from __future__ import annotations

from dataclasses import dataclass

from darnel.core.pattern import Dose
from darnel.core.payload import Payload
from darnel.models.base import NOTE_TOOL, Tool
from darnel.patterns.registry import parse_doses

PATTERNS = ("echo:1", "keywords:3")
"""How every payload gets found: the question before it, or the question's terms three times over."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack. ``dose``: how it gets found, and what it says; ``shows``: what it is there to show."""

    dose: Dose
    payload: Payload
    shows: str

    @property
    def family(self) -> str:
        """The payload's."""
        return self.payload.family

    @property
    def id(self) -> str:
        """Its name, for instance ``fake-turn-echo``."""
        return f"{self.payload.name}-{self.dose.pattern.name}"

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the application offers its model while this attack is on."""
        return (NOTE_TOOL,) if self.payload.goal == "tool" else ()


def family(shows: str, *payloads: Payload) -> tuple[Attack, ...]:
    """The attacks of a family: each payload under each pattern."""
    pairs = [(payload, parse_doses(PATTERNS, controls=False, payloads=[payload])) for payload in payloads]
    return tuple(Attack(dose, payload, shows) for payload, doses in pairs for dose in doses)
