"""Metadata that next to no other record has: a value, a type or a gap where all the others agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from darnel.audit.batch import Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Severity, Span
from darnel.audit.sketch import FEWEST

MOST_FIELDS = 200
"""Keys above which metadata is no form that records fill in, and nothing is said."""
MOST_SHAPES = 500
"""The same for the sets of keys that records have."""
MOST_VALUES = 50
"""Distinct values up to which a field sorts records into kinds; above it, values are free."""
LONGEST = 200
"""Characters of a value that are compared."""
MOST_REFS = 100
"""Records with one trait whose ids are kept; what more records have is no outlier."""
PARTS = 4
"""Of the alert budget: the share of records that may stand apart in one field before it says nothing."""


class Trait(NamedTuple):
    """``what``: value, type or lacks."""

    field: str
    what: str
    value: str


class Provenance(BaseDetector):
    """Counts types, values and sets of fields while they are few: at most 10,000 values of 200 characters, with 100 ids each."""

    name = "provenance"
    summary = (
        "A value or type of a metadata field that next to no other record has, or a field missing that all others have."
    )
    blind = (
        "Records under a source, author or date that others have too, or that fill no field oddly; fields of more than 50 "
        "values; bursts in time; batches larger than a quarter of the alert budget; and corpora of fewer than 200 records."
    )
    advice = "Find out which job wrote the record; honest writers fill in the same fields in the same way."

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._traits: dict[str, dict[Trait, int]] = {}
        self._shapes: dict[frozenset[str], int] = {}
        self._refs: dict[Trait | frozenset[str], list[Ref]] = {}

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Count; what is rare is known at the end."""
        ref, keys = Ref(entry.id, entry.source), frozenset(entry.metadata)
        if len(self._shapes) <= MOST_SHAPES and len(self._traits) <= MOST_FIELDS:
            self._shapes[keys] = self._shapes.get(keys, 0) + 1
            self._remember(keys, self._shapes[keys], ref)
            for key in keys:
                self._count(key, entry.metadata[key], ref)
        return iter(())

    def _count(self, key: str, value: Any, ref: Ref) -> None:
        counts = self._traits.setdefault(key, {})
        traits = [Trait(key, "type", _type(value))]
        if isinstance(value, str | int):
            traits.append(Trait(key, "value", str(value)[:LONGEST]))
        for trait in traits:
            if trait in counts or len(counts) <= MOST_VALUES:
                counts[trait] = counts.get(trait, 0) + 1
                self._remember(trait, counts[trait], ref)

    def _remember(self, trait: Trait | frozenset[str], times: int, ref: Ref) -> None:
        if times <= MOST_REFS:
            self._refs.setdefault(trait, []).append(ref)
        else:
            self._refs.pop(trait, None)

    def finish(self) -> Iterator[Finding]:
        """What so few records have that the field's other records agree against them."""
        seen = sum(self._shapes.values())
        if seen < FEWEST or len(self._shapes) > MOST_SHAPES or len(self._traits) > MOST_FIELDS:
            return
        few = min(MOST_REFS, max(1, int(self.context.budget / PARTS * seen)))
        for key, counts in sorted(self._traits.items()):
            lacking = [shape for shape in self._shapes if key not in shape]
            if 0 < sum(self._shapes[shape] for shape in lacking) <= few:
                for ref in (ref for shape in lacking for ref in self._refs.get(shape, ())):
                    yield self._tell(ref, Trait(key, "lacks", ""), seen)
            for what in ("type", "value"):
                if what == "value" and len(counts) > MOST_VALUES:
                    continue
                rare = [t for t, n in counts.items() if t.what == what and n <= few]
                others = sum(n for t, n in counts.items() if t.what == what and n > few)
                if sum(counts[t] for t in rare) <= few and others >= FEWEST:
                    for trait in rare:
                        for ref in self._refs.get(trait, ()):
                            yield self._tell(ref, trait, others)

    def _tell(self, ref: Ref, trait: Trait, others: int) -> Finding:
        key = trait.field[:LONGEST]
        said = {
            "lacks": f"It has no field {key}, which nearly all of {others} records have.",
            "type": f"Its field {key} is a {trait.value}, as in next to none of {others} others.",
            "value": f"Its field {key} has a value that next to none of {others} others have.",
        }
        severity: Severity = "low" if trait.what == "value" else "medium"
        return self.finding(ref, severity, 1.0, said[trait.what], [Span(0, 0, f"{key}: {trait.value or 'missing'}")])

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        traits = [[*trait, n] for counts in self._traits.values() for trait, n in counts.items()]
        shapes = [[sorted(shape), n] for shape, n in self._shapes.items()]
        return {"traits": sorted(traits), "shapes": sorted(shapes)}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """Count on from where the other corpus ended; its records are not named."""
        self._shapes = {frozenset(keys): int(n) for keys, n in kept["shapes"]}
        for name, what, value, n in kept["traits"]:
            self._traits.setdefault(name, {})[Trait(name, what, value)] = int(n)


def _type(value: Any) -> str:
    kinds = {str: "text", bool: "truth value", int: "number", float: "number", list: "list", dict: "mapping"}
    return kinds.get(type(value), "null")
