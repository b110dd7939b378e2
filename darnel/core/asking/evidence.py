"""Which returned source is which plant, and by what proof: id, else metadata, else marker in the text.

Exact always: a whole id, a whole stamp, a whole marker. Nothing matches by prefix or substring.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from darnel.core.corpus import Source
from darnel.core.plant import Plant, find_markers, read_stamp
from darnel.core.spelling import holds_token

_HEX = r"(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
# stricter than uuid.UUID, which takes hyphens, signs and spaces anywhere and so makes two ids one
_UUID = re.compile(rf"(?:urn:uuid:)?({_HEX})|\{{({_HEX})\}}", re.IGNORECASE | re.ASCII)

Proof = Literal["id", "metadata", "marker"]

UUID_LENGTHS = range(32, 46)
"""From bare hexadecimal to urn and hyphens."""


@dataclass(frozen=True, slots=True)
class Match:
    """A source recognised as planted. ``plants`` empty: it is a plant of some other campaign."""

    plants: tuple[Plant, ...]
    proof: Proof


class PlantIndex:
    """The plants that are in the corpus now, ready to be recognised."""

    def __init__(self, plants: Iterable[Plant]) -> None:
        kept = list(plants)
        self._by_id = {spelling: p for p in kept for spelling in (p.id, canonical_id(p.id))}
        # the digest, too: plants of two tenants may share a text, and its marker
        self._by_stamp = {(p.campaign, p.marker, p.digest[:16]): p for p in kept}
        self._by_marker = {p.marker: p for p in kept}
        self._spelt = [p for p in kept if p.forms]

    def match(self, source: Source) -> Match | None:
        """What a source is: one of these plants, somebody else's plant, or None for the owner's own."""
        if source.id is not None and (plant := self._named(source.id)):
            return Match((plant,), "id")
        if source.metadata and (match := self._by_metadata(source.metadata)):
            return match
        # a source may hold several plants where an app joins chunks; each marker counts
        found = tuple(self._by_marker[m] for m in sorted(find_markers(source.text)) if m in self._by_marker)
        return Match(found, "marker") if found else None

    def in_text(self, text: str) -> frozenset[str]:
        """Ids of the plants whose marker stands in a text, such as a prompt or an answer."""
        return frozenset(self._by_marker[m].id for m in find_markers(text) if m in self._by_marker)

    def in_answer(self, text: str) -> frozenset[str]:
        """The same for an answer, where a marker may also stand in a spelling that its payload asked for."""
        spelt = (p.id for p in self._spelt if holds_token(text, p.marker, p.forms))
        return self.in_text(text).union(spelt)

    def by_ids(self, ids: Iterable[str]) -> tuple[Plant, ...]:
        """The plants of these ids, in the order of their ids."""
        return tuple(self._by_id[i] for i in sorted(ids))

    def _by_metadata(self, metadata: Mapping[str, Any]) -> Match | None:
        stamp = read_stamp(metadata)
        if stamp is not None:
            known = self._by_stamp.get((stamp.campaign, stamp.marker, stamp.digest))
            return Match((known,) if known else (), "metadata")
        for value in metadata.values():
            if isinstance(value, str) and (plant := self._named(value)):
                return Match((plant,), "metadata")
        return None

    def _named(self, id_: str) -> Plant | None:
        """The plant of that id; the spelling it was written with is by far the commonest and is tried first."""
        plant = self._by_id.get(id_)
        if plant is None and len(id_) in UUID_LENGTHS:
            plant = self._by_id.get(canonical_id(id_))
        return plant


def canonical_id(value: str) -> str:
    """UUIDs in any of their spellings (case, hyphens, urn, braces) compare equal; anything else stays as it is."""
    found = _UUID.fullmatch(value)
    return str(uuid.UUID(found[1] or found[2])) if found else value
