"""Whose plants a reply shows: by id, else by metadata, else by a marker that only one tenant's plants carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.funnel import all_sources
from darnel.core.corpus import Reply, Source
from darnel.core.plant import MetaValue, Plant, find_markers


@dataclass(frozen=True, slots=True)
class Seen:
    """What one reply shows.

    ``tenants``: tenant → where its first plant is and how that is known. ``kinds``: the same for each tenant and kind of
    plant. ``unclear``: a text came back that several tenants hold, and nothing says whose it is. ``count``: sources.
    """

    count: int = 0
    tenants: Mapping[str, str] = field(default_factory=dict)
    kinds: frozenset[tuple[str, str]] = frozenset()
    unclear: str = ""
    error: str = ""

    def others(self, tenant: str) -> Mapping[str, str]:
        """What is there that is not this tenant's."""
        return {name: where for name, where in self.tenants.items() if name != tenant}


class Recogniser:
    """Recognises plants as their tenants'. ``plants``: by tenant; ``scopes``: what makes a record a tenant's own."""

    def __init__(self, plants: Mapping[str, Sequence[Plant]], scopes: Mapping[str, Mapping[str, MetaValue]]) -> None:
        self._owner = {p.id: name for name, group in plants.items() for p in group}
        self._index = PlantIndex(p for group in plants.values() for p in group)
        self._scopes = scopes
        self._holders: dict[str, list[Plant]] = {}
        for group in plants.values():
            for plant in group:
                self._holders.setdefault(plant.marker, []).append(plant)

    def seen_in(self, reply: Reply) -> Seen:
        """Whose plants are among the sources, in the prompt, or in the answer."""
        found: list[tuple[Plant, str]] = []
        unclear = ""
        sources = all_sources(reply)
        for place, source in enumerate(sources, 1):
            known = self._in_source(source, f"source {place}")
            found.extend(known)
            if not known and find_markers(source.text) & self._holders.keys():
                unclear = f"source {place} is a text that several tenants hold"
        for text, where in ((reply.prompt, "the prompt"), (reply.answer, "the answer")):
            markers = find_markers(text) & self._holders.keys()
            own = [(self._holders[m][0], f"{where}, by its marker") for m in sorted(markers) if self._alone(m)]
            found.extend(own)
            if not found and markers:
                unclear = f"{where} shows a text that several tenants hold"
        tenants: dict[str, str] = {}
        for plant, where in found:
            tenants.setdefault(self._owner[plant.id], where)
        kinds = frozenset((self._owner[p.id], p.pattern) for p, _ in found)
        return Seen(len(sources), tenants, kinds, unclear, reply.error or "")

    def _in_source(self, source: Source, where: str) -> list[tuple[Plant, str]]:
        """Every plant that a source is, or holds where an application joins several."""
        match = self._index.match(source)
        found = [(p, f"{where}, by {match.proof}") for p in match.plants] if match and match.proof != "marker" else []
        for marker in sorted(find_markers(source.text) & self._holders.keys()):
            if self._alone(marker):
                found.append((self._holders[marker][0], f"{where}, by its marker"))
            elif not found and (plant := self._placed(self._holders[marker], source)):
                found.append((plant, f"{where}, by metadata"))
        return found

    def _alone(self, marker: str) -> bool:
        return len(self._holders[marker]) == 1

    def _placed(self, holders: Sequence[Plant], source: Source) -> Plant | None:
        """The one of several plants whose tenant's metadata a source shows."""
        shown = source.metadata or {}
        fitting = [p for p in holders if (scope := self._scopes[self._owner[p.id]]) and scope.items() <= shown.items()]
        return fitting[0] if len(fitting) == 1 else None
