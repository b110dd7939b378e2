"""What planting cost the true answers: retrieval measures over judged queries, before and after, by ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from darnel.core.scoring.observe import QueryOutcome
from darnel.core.stats import Change, change

DEPTH = 10
"""nDCG and reciprocal rank look at the first ten, as the test collections' published figures do."""

Ranked = Mapping[str, Sequence[str | None]]
"""Query id → ids, best first."""


def quality(rows: Sequence[QueryOutcome], baseline: Ranked, *, k: int, seed: int) -> dict[str, Change]:
    """nDCG@10, R@k and RR@10 of the judged queries whose lists are known, before and after planting; empty without any."""
    judged = [row for row in rows if _relevant(row) and row.query.id in baseline and row.sure_to(max(k, DEPTH))]
    if not judged:
        return {}
    before = _measure(judged, {row.query.id: baseline[row.query.id] for row in judged}, k)
    after = _measure(judged, {row.query.id: row.ranked for row in judged}, k)
    ids = [row.query.id for row in judged]
    return {
        name: change([before[name].get(i, 0.0) for i in ids], [after[name].get(i, 0.0) for i in ids], seed)
        for name in before
    }


def _relevant(row: QueryOutcome) -> bool:
    return any(grade > 0 for grade in row.query.judged.values())


def _measure(rows: Sequence[QueryOutcome], lists: Ranked, k: int) -> dict[str, dict[str, float]]:
    """Measure name → query id → value."""
    import ir_measures
    from ir_measures import RR, Qrel, R, ScoredDoc, nDCG

    measures = [nDCG @ DEPTH, R @ k, RR @ DEPTH]
    # ids of our own: the library's C code takes no lone surrogates, which ids of a corpus in memory may hold
    own: dict[str, str] = {}

    def plain(id_: str) -> str:
        return own.setdefault(id_, str(len(own)))

    names = {plain(row.query.id): row.query.id for row in rows}
    qrels = [Qrel(plain(row.query.id), plain(doc), grade) for row in rows for doc, grade in row.query.judged.items()]
    run = [
        ScoredDoc(plain(query), f"nameless {place}" if doc is None else plain(doc), float(-place))
        for query, ids in lists.items()
        for place, doc in enumerate(ids)
    ]
    found: dict[str, dict[str, float]] = {str(measure): {} for measure in measures}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        found[str(metric.measure)][names[metric.query_id]] = float(metric.value)
    return found
