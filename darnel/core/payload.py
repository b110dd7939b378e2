"""What a payload is: what a plant says, apart from how it gets retrieved. The built-in ones live in ``darnel.patterns``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Goal = Literal["marker", "canary", "tool", "refusal"]
"""What shows that a payload was obeyed: its marker in the answer, a secret of the prompt's in it, a call of the fake tool,
or a refusal that names the marker."""

FAKE_TOOL = "file_note"
"""The tool that payloads ask for. It is nobody's: a test offers it, notes the call, and nothing else happens."""


@dataclass(frozen=True, slots=True)
class PayloadRequest:
    """All a payload may know. ``markers``: of the plants that belong together, one a part; ``part``: which of them this is."""

    markers: tuple[str, ...]
    part: int = 0

    @property
    def marker(self) -> str:
        """This plant's own."""
        return self.markers[self.part]


@dataclass(frozen=True, slots=True)
class Payload:
    """What plants say: a name, a sentence, and a function to a text that holds ``request.marker`` and asks for nothing but
    a marker.

    ``goal``: what shows that it was obeyed. ``forms``: spellings, beside the plain one, in which it asks for the marker (see
    ``darnel.core.spelling``). ``parts``: plants that only work together; the first one's marker is what is asked for.
    """

    name: str
    summary: str
    text: Callable[[PayloadRequest], str]
    family: str = "custom"
    goal: Goal = "marker"
    forms: tuple[str, ...] = ()
    parts: int = 1
    references: tuple[str, ...] = ()

    def say(self, markers: Sequence[str], part: int = 0) -> str:
        """The text of one part."""
        return self.text(PayloadRequest(tuple(markers), part))
