"""Dose curves: the patterns that were run at several strengths, or in several numbers of copies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from darnel.core.results import PatternInfo, Results, Score

Axis = Literal["strength", "copies"]


@dataclass(frozen=True, slots=True)
class DoseCurve:
    """Scores of one pattern at several doses, smallest first. ``unit``: what the axis counts."""

    name: str
    axis: Axis
    unit: str
    points: tuple[tuple[int, Score], ...]

    def enough(self, k: int, reach: float) -> int | None:
        """The smallest dose of them at which the exposure@k is ``reach``; None where none is enough."""
        return next((dose for dose, score in self.points if (score.exposure[str(k)].value or 0) >= reach), None)


def dose_curves(results: Results) -> list[DoseCurve]:
    """Every curve of two points or more: by strength, then by copies."""
    return [*_curves(results, "strength"), *_curves(results, "copies")]


def _curves(results: Results, axis: Axis) -> Iterator[DoseCurve]:
    scores = {score.pattern: score for score in results.scores}
    groups: dict[str, list[PatternInfo]] = defaultdict(list)
    for info in results.patterns:
        if info.label in scores:
            groups[_name(info, axis)].append(info)
    for name, infos in groups.items():
        if len(infos) > 1:
            infos.sort(key=lambda info: _dose(info, axis))
            unit = infos[0].dose if axis == "strength" else "documents of each plant"
            yield DoseCurve(name, axis, unit, tuple((_dose(info, axis), scores[info.label]) for info in infos))


def _name(info: PatternInfo, axis: Axis) -> str:
    """What all doses of one curve share."""
    said = f"+{info.payload}" if info.payload else ""
    if axis == "copies":
        return f"{info.pattern}:{info.strength}{said}"
    return f"{info.pattern}{said}" if info.copies == 1 else f"{info.pattern}*{info.copies}{said}"


def _dose(info: PatternInfo, axis: Axis) -> int:
    return info.strength if axis == "strength" else info.copies
