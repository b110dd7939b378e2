"""Thresholds on a result: ``exposure@5 > 0.2`` fails the run where it holds for any pattern that is not a control."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from darnel.core.errors import UnknownNameError, UsageError
from darnel.core.plant import names_of
from darnel.core.results import GateResult, Score
from darnel.core.scoring.scores import control_label
from darnel.core.suppressions import Suppression, settle

_FORM = re.compile(
    r"(?:(?P<pattern>[\w.*-]+(?::\d+)?(?:\+[\w.-]+)?)\s+)?(?P<metric>[a-z_]+)(?:@(?P<k>\d+))?\s*(?P<op>>=|<=|>|<)\s*(?P<value>\S+)"
)
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_AT_K = ("exposure", "lift_over_control", "lift_over_honest")
_PLAIN = ("displacement", "inconclusive", "mrr", "retention", "slot_share")
_STAGES = {"delivered": "delivered", "in_prompt": "in prompt", "in_answer": "in answer"}
METRICS = tuple(sorted((*(f"{name}@K" for name in _AT_K), *_PLAIN, *_STAGES)))


@dataclass(frozen=True, slots=True)
class Gate:
    """One parsed condition; it fails the run where it holds."""

    text: str
    pattern: str | None
    metric: str
    k: int | None
    op: str
    value: float

    def holds(self, value: float | None) -> bool:
        """Whether the condition holds for a value; never for one that is missing."""
        return value is not None and _COMPARE[self.op](value, self.value)


def parse_gate(text: str, ks: Sequence[int]) -> Gate:
    """Read ``[PATTERN] METRIC[@K] OP NUMBER``, with OP one of > >= < <=.

    Raises:
        UsageError: it does not read so, or the number is none.
        UnknownNameError: the metric is not known, or no result holds it at that k.
    """
    gate = read_condition(text, "exposure@5 > 0.2")
    metric, k = gate.metric, gate.k
    if metric not in (*_AT_K, *_PLAIN, *_STAGES):
        raise UnknownNameError("metric", metric, METRICS)
    if (metric in _AT_K) != (k is not None):
        raise UsageError(f"'{text}': write {metric}{'@K' if metric in _AT_K else ''}; metrics: {', '.join(METRICS)}")
    if k is not None and k not in ks:
        raise UsageError(f"'{text}': {metric} is measured at k = {', '.join(map(str, ks))}; choose one, or set --k {k}")
    least = -1 if metric.startswith("lift") else 0
    if not least <= gate.value <= 1:
        raise UsageError(
            f"'{text}': {metric} goes from {least} to 1, so this never changes; write for instance 0.2 or 20%"
        )
    return gate


def read_condition(text: str, example: str) -> Gate:
    """Read ``[NAME] METRIC[@K] OP NUMBER``, of whatever metric.

    Raises:
        UsageError: it does not read so, or the number is none.
    """
    found = _FORM.fullmatch(text.strip())
    if not found:
        raise UsageError(f"cannot read the condition '{text}'; write for instance '{example}'")
    try:
        value = float(found["value"].rstrip("%")) / (100 if found["value"].endswith("%") else 1)
    except ValueError:
        raise UsageError(f"'{text}': '{found['value']}' is not a number") from None
    k = int(found["k"]) if found["k"] else None
    return Gate(text.strip(), found["pattern"], found["metric"], k, found["op"], value)


def check_pattern(gate: Gate, labels: Sequence[str]) -> None:
    """Refuse a condition on a pattern that the run does not have, before anything is planted for it.

    Raises:
        UnknownNameError: it names none of ``labels``.
    """
    if gate.pattern and not any(gate.pattern in names_of(label) for label in labels):
        raise UnknownNameError("pattern in --fail-on", gate.pattern, labels)


def check_gate(gate: Gate, scores: Sequence[Score], suppressions: Sequence[Suppression] = ()) -> GateResult:
    """Judge one condition over the scores; controls count only where they are named. ``suppressions``: those in force."""
    chosen = [s for s in scores if (gate.pattern in names_of(s.pattern) if gate.pattern else not s.control)]
    failed = {s.pattern: f"{s.pattern} {_value(gate, s):.3f}" for s in chosen if gate.holds(_value(gate, s))}
    rest = [s for s in chosen if s.pattern not in failed]
    unclear = [s for s in rest if _value(gate, s) is None or any(gate.holds(v) for v in _extremes(gate, s, scores))]
    doubts = [f"{s.pattern} ({s.inconclusive} inconclusive)" for s in unclear]
    if not chosen:
        doubts = [f"{gate.pattern} was not measured" if gate.pattern else "no pattern was measured"]
    return settle(gate.text, failed, doubts, f"{len(chosen)} pattern(s)", suppressions)


def exit_code(leftovers: bool, gates: list[GateResult], doubtful: bool) -> int:
    """3 where plants may be left, else 1 where a gate failed, else 2 where something could not be told, else 0."""
    verdicts = {gate.verdict for gate in gates}
    if leftovers:
        return 3
    if "failed" in verdicts:
        return 1
    return 2 if doubtful or "unclear" in verdicts else 0


def _value(gate: Gate, score: Score) -> float | None:
    if gate.metric == "inconclusive":
        return score.inconclusive / score.queries if score.queries else None
    if gate.metric in _STAGES:
        found = score.funnel.get(_STAGES[gate.metric])
    else:
        found = getattr(score, gate.metric)
        found = found.get(str(gate.k)) if gate.k is not None else found
    return found.value if found is not None else None


def _extremes(gate: Gate, score: Score, scores: Sequence[Score]) -> tuple[float, float]:
    """The least and the most the metric could be, had every query that is not known been known."""
    if gate.metric == "inconclusive":
        value = score.inconclusive / score.queries
        return value, value
    if gate.k is not None:
        least, most = _exposure_range(score, gate.k)
        if gate.metric == "exposure":
            return least, most
        control = control_label(gate.metric.removeprefix("lift_over_"), [s.pattern for s in scores], score.pattern)
        base = next(s for s in scores if s.pattern == control)
        base_least, base_most = _exposure_range(base, gate.k)
        return least - base_most, most - base_least
    if gate.metric in _STAGES:
        came = score.funnel.get(_STAGES[gate.metric])
        return (came.hits / score.queries, (came.hits + score.queries - came.n) / score.queries) if came else (0.0, 1.0)
    found = getattr(score, gate.metric)
    unknown = score.queries - (score.mrr if gate.metric == "mrr" else score.slot_share).n
    total = found.value * found.n
    return total / (found.n + unknown), (total + unknown) / (found.n + unknown)


def _exposure_range(score: Score, k: int) -> tuple[float, float]:
    rate = score.exposure[str(k)]
    return rate.hits / score.queries, (rate.hits + score.queries - rate.n) / score.queries
