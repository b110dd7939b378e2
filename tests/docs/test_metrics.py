"""Every worked example of the page of metrics, recomputed by the code it explains."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from darnel.core.asking.ranking import Entry, Listing
from darnel.core.corpus import Source
from darnel.core.options import RunOptions
from darnel.core.queries import Query
from darnel.core.results import Score
from darnel.core.running.trusting import trust_change
from darnel.core.scoring.observe import QueryOutcome
from darnel.core.scoring.quality import quality
from darnel.core.scoring.scores import score_all
from darnel.core.stats import corrected, difference, mcnemar, queries_needed, rate, wilson

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
EXAMPLES = re.findall(r"^`(\w+)\((.*)\) = (.*)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
INFINITY = float("inf")


def row(number: int, best: int | None, **given: Any) -> QueryOutcome:
    return replace(QueryOutcome("p", Query(f"q{number}", "t"), INFINITY, False, best, None, ()), **given)


def scored(
    rows: Sequence[QueryOutcome], k: int = 5, baseline: Sequence[str] = (), control: Sequence[QueryOutcome] = ()
) -> Score:
    outcomes = {**({"control:1": control} if control else {}), "p": rows}
    lists = {r.query.id: list(baseline) for r in rows}
    return score_all(outcomes, dict.fromkeys(outcomes, False), lists, RunOptions(k=k))[-1]


def ranked(ranks: Sequence[int | None]) -> list[QueryOutcome]:
    return [row(i, best) for i, best in enumerate(ranks)]


def f1(in_first_k: int, k: int, made: int) -> Score:
    return scored([row(0, 1, in_top_k=in_first_k, plants=made)], k)


def lift(hits: int, n: int, control_hits: int, control_n: int) -> Any:
    found = difference(rate(hits, n), rate(control_hits, control_n))
    return (found.value, found.low, found.high)


def ndcg10(ranked: list[str | None], grades: dict[str, int]) -> Any:
    judged = QueryOutcome("p", Query("q", "t", grades), INFINITY, False, 1, 1, (), tuple(ranked))
    return quality([judged], {"q": []}, k=5, seed=0)["nDCG@10"].after


def average_trust(before: list[float], after: list[float]) -> Any:
    lists = [Listing(tuple(Entry(Source(str(trust))) for trust in trusts), 0, True) for trusts in (before, after)]
    pair = trust_change(*lists, {str(trust): trust for trust in before + after}, k=len(before))
    return scored([row(0, None, trust=pair)]).trust.change


COMPUTE: dict[str, Callable[..., Any]] = {
    "exposure": lambda best_ranks, k: scored(ranked(best_ranks), k).exposure[str(k)].value,
    "wilson": wilson,
    "queries_needed": lambda rate: queries_needed(rate),
    "lift": lift,
    "mcnemar": lambda only_pattern, only_control: mcnemar(
        [(True, False)] * only_pattern + [(False, True)] * only_control
    ),
    "corrected": corrected,
    "rank_shift": lambda control, pattern, depth: scored(ranked(pattern), depth, control=ranked(control)).rank_shift,
    "mrr": lambda best_ranks, depth: scored(ranked(best_ranks), depth).mrr.value,
    "precision": lambda **given: f1(**given).slot_share.value,
    "recall": lambda **given: f1(**given).injection_recall.value,
    "f1": lambda **given: f1(**given).injection_f1.value,
    "displacement": lambda before, after: scored([row(0, None, after=tuple(after))], 5, before).displacement.value,
    "ndcg10": ndcg10,
    "average_trust": average_trust,
    "transfer": lambda exposed: scored([row(i, None, transfer=came) for i, came in enumerate(exposed)]).transfer.value,
}


def test_every_metric_with_a_formula_has_its_example() -> None:
    assert {name for name, _, _ in EXAMPLES} == COMPUTE.keys()


@pytest.mark.parametrize(("name", "given", "value"), EXAMPLES, ids=[name for name, _, _ in EXAMPLES])
def test_the_example_holds(name: str, given: str, value: str) -> None:
    call = ast.parse(f"f({given})", mode="eval").body
    assert isinstance(call, ast.Call)
    arguments = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    found = COMPUTE[name](**arguments)
    expected = ast.literal_eval(value)
    assert found == pytest.approx(expected, abs=5e-5)
