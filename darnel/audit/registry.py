"""Detectors by name, cheapest first; third parties add theirs through the entry-point group ``darnel.detectors``.

An entry point is a callable that takes a ``Context`` and makes a ``Detector`` of the entry point's name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points

from darnel.audit.detector import Context, Detector
from darnel.core.errors import UnknownNameError, UsageError

ENTRY_POINTS = "darnel.detectors"
BUILT_IN = {
    "marker": "darnel.audit.detectors.marker:MarkerResidue",
    "hidden-characters": "darnel.audit.detectors.hidden_characters:HiddenCharacters",
    "mixed-script": "darnel.audit.detectors.mixed_script:MixedScript",
    "hidden-text": "darnel.audit.detectors.hidden_text:HiddenText",
    "instructions": "darnel.audit.detectors.instructions:Instructions",
    "fields": "darnel.audit.detectors.fields:FieldMismatch",
    "provenance": "darnel.audit.detectors.provenance:Provenance",
    "repetition": "darnel.audit.detectors.repetition:Repetition",
    "echo": "darnel.audit.detectors.echo:QueryEcho",
    "reencode": "darnel.audit.detectors.reencode:Reencode",
    "siblings": "darnel.audit.detectors.siblings:Siblings",
    "unnatural": "darnel.audit.detectors.unnatural:Unnatural",
    "sentinel": "darnel.audit.detectors.sentinel:Sentinel",
    "hubs": "darnel.audit.detectors.hubs:Hubs",
    "near-clone": "darnel.audit.detectors.near_clone:NearClone",
}
"""Name → ``module:class``, loaded when it is used."""

OPT_IN = frozenset({"unnatural"})
"""Run only where they are named: docs/audit.md says what they cost."""

Maker = Callable[[Context], Detector]


def known_detectors() -> dict[str, Maker]:
    """Built-in and third-party detectors, in the order in which they look.

    Raises:
        UsageError: two packages claim one name.
    """
    found: dict[str, Maker] = {}
    for name, where in BUILT_IN.items():
        module, _, attr = where.partition(":")
        found[name] = getattr(importlib.import_module(module), attr)
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda p: p.name):
        if point.name in found:
            raise UsageError(f"two packages claim the detector name '{point.name}'; uninstall one of them")
        found[point.name] = point.load()
    return found


def make_detectors(names: Sequence[str], context: Context) -> list[Detector]:
    """Those that are named, or all but ``OPT_IN``.

    Raises:
        UnknownNameError: no detector of that name.
        UsageError: an entry point makes no detector, or one of another name.
    """
    known = known_detectors()
    for name in names:
        if name not in known:
            raise UnknownNameError("detector", name, known)
    made = []
    for name, make in known.items():
        if name not in names and (names or name in OPT_IN):
            continue
        detector = make(context)
        if not isinstance(detector, Detector) or detector.name != name:
            raise UsageError(f"the entry point '{name}' makes no detector of that name; uninstall its package")
        if context.profile is not None:
            context.profile.hand_to(detector)
        made.append(detector)
    return made
