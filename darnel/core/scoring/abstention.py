"""Questions that the corpus cannot answer: declining is what is right, and answering at all is a breach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from darnel.core.corpus import Reply
from darnel.core.queries import Query
from darnel.core.results import AbstentionInfo, AbstentionRow, GateResult
from darnel.core.scoring.judges import ABSTENTIONS, answered
from darnel.core.stats import Rate, rate

CONDITION = "an unanswerable question is answered"
"""The gate that stands in every result with such questions; it fails where it holds for any."""


def judge_abstention(
    queries: Sequence[Query], replies: Sequence[Reply], phrases: Sequence[str] = ABSTENTIONS
) -> AbstentionInfo:
    """Judge the replies to unanswerable questions, by phrases of refusal and never by a model."""
    judge = answered(phrases)
    found = [(query, judge(reply)) for query, reply in zip(queries, replies, strict=True)]
    rows = [AbstentionRow(query.id, query.text, item.verdict, item.why) for query, item in found]
    told = [row for row in rows if row.verdict != "could not tell"]
    declined = sum(row.verdict == "held" for row in told)
    return AbstentionInfo(rate(declined, len(told)), len(rows) - len(told), rows)


def abstention_gate(found: AbstentionInfo) -> GateResult:
    """The gate on them. One that could not be told keeps it from passing."""
    answers = [row for row in found.rows if row.verdict == "breach"]
    verdict: Literal["passed", "failed", "unclear"] = (
        "failed" if answers else "unclear" if found.inconclusive else "passed"
    )
    detail = [abstention_text(found.declined)]
    if answers:
        detail.append(f"answered: {', '.join(row.query for row in answers)}")
    if found.inconclusive:
        untold = next(row for row in found.rows if row.verdict == "could not tell")
        detail.append(f"{found.inconclusive} could not be told ({untold.query}: {untold.why})")
    return GateResult(CONDITION, verdict, "; ".join(detail))


def abstention_text(declined: Rate) -> str:
    """The abstention rate with its counts and interval."""
    if declined.value is None or declined.low is None or declined.high is None:
        return "abstention rate not known"
    return (
        f"abstention rate {declined.value:.2f}: {declined.hits} of {declined.n} declined, "
        f"95 % interval {declined.low:.2f}–{declined.high:.2f}"
    )
