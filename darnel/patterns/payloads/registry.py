"""Payloads by name; third parties add theirs through the entry-point group ``darnel.payloads``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from darnel.core.errors import UnknownNameError
from darnel.core.payload import Payload
from darnel.patterns.entries import with_entries
from darnel.patterns.payloads.authority import authority
from darnel.patterns.payloads.disclosure import disclose
from darnel.patterns.payloads.encoded import backwards, encoded
from darnel.patterns.payloads.grading import grading
from darnel.patterns.payloads.hidden import hidden_comment
from darnel.patterns.payloads.multihop import multi_hop
from darnel.patterns.payloads.plain import order, polite
from darnel.patterns.payloads.refusal import refuse
from darnel.patterns.payloads.tools import tool_call
from darnel.patterns.payloads.turns import fake_envelope, fake_template, fake_turn

ENTRY_POINTS = "darnel.payloads"
Item = TypeVar("Item")
ALL = "all"
"""Given as a payload: every one."""
BUILT_IN: Mapping[str, Payload] = {
    p.name: p
    for p in (
        *(order, polite, fake_turn, fake_template, fake_envelope, authority, hidden_comment, disclose, grading),
        *(encoded, backwards, multi_hop, tool_call, refuse),
    )
}


def known_payloads() -> dict[str, Payload]:
    """Built-in and third-party payloads, by name.

    Raises:
        UsageError: two packages claim one name, or an entry point is no payload.
    """
    return with_entries(BUILT_IN, ENTRY_POINTS, Payload, "payload")


def each(given: Iterable[Item]) -> list[Item]:
    """The items; a string is one name, not its letters."""
    return [given] if isinstance(given, str) else list(given)  # type: ignore[list-item]  # a string here is an Item


def parse_payloads(given: Iterable[str | Payload]) -> list[Payload]:
    """Payloads from a name, names, ``all``, or payloads; each once.

    Raises:
        UnknownNameError: no payload of that name.
    """
    known = known_payloads()
    found: dict[str, Payload] = {}
    for item in each(given):
        if isinstance(item, Payload):
            found[item.name] = item
        elif item == ALL:
            found.update(known)
        elif item in known:
            found[item] = known[item]
        else:
            raise UnknownNameError("payload", item, known)
    return list(found.values())
