"""All plants of a run, crafted before the first write, from what the corpus itself returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from darnel.core.corpus import Retriever, VectorWriter
from darnel.core.errors import PlantError, blame_target
from darnel.core.pattern import Dose
from darnel.core.planting.batches import check_sizes
from darnel.core.planting.crafting import Ground, craft
from darnel.core.planting.waiting import read_all, steadily
from darnel.core.running.run import Run
from darnel.core.text import storable

PASSAGES = 10
"""Baseline records whose texts a pattern may read for a query."""


def craft_all(run: Run, campaign_id: str) -> None:
    """Craft every plant of the run.

    Raises:
        PlantError: one is no plant, or is over a limit of the store.
    """
    passages = read_passages(run) if any(d.pattern.needs_passages for d in run.doses) else {}
    store = run.target.injector
    ground = Ground(
        run.queries,
        passages,
        run.description,
        campaign_id,
        run.options,
        store.query_vectors if isinstance(store, VectorWriter) else None,
    )
    run.crops = []
    for dose in run.doses:
        if over := _over_budget(run, dose):
            run.warnings.append(f"{dose.label} was left out: {over}")
            continue
        try:
            run.crops.append(craft(dose, ground))
        except PlantError as error:
            if not dose.optional:
                raise
            run.warnings.append(f"{dose.label} was left out: {error}")
    for crop in run.crops:
        check_sizes(crop.all(), run.description)


def _over_budget(run: Run, dose: Dose) -> str | None:
    """Why a dose does not fit into what is left of the budget, if so; controls always do, or nothing could be said."""
    budget = run.options.budget
    if budget is None or dose.pattern.is_control:
        return None
    spent = sum(len(crop.all()) for crop in run.crops)
    wanted = dose.plants * len(run.queries)
    left = max(0, budget - spent)  # the controls always run, and may take more than there is
    return f"it takes {wanted:,} plants and of the budget of {budget:,} {left:,} are left" if wanted > left else None


def read_passages(run: Run) -> Mapping[str, Sequence[str]]:
    """What the corpus returned for each query: texts from the lists, else read by id; where an application returned
    nothing, what its store returns itself."""
    listed = {
        q.id: [e.source for e in listing.entries[:PASSAGES]]
        for q, listing in zip(run.queries, run.baseline, strict=False)
    }
    store = run.target.injector
    if (bare := [q for q in run.queries if not listed.get(q.id)]) and isinstance(store, Retriever):
        with blame_target("asking the store for passages"):
            replies = steadily(lambda: store.retrieve([q.text for q in bare], PASSAGES))
        listed.update((q.id, list(reply.sources)) for q, reply in zip(bare, replies, strict=True))
    wanted = {s.id for sources in listed.values() for s in sources if s.text is None and s.id}
    found = read_all(store, sorted(wanted)) if wanted else {}
    texts = {id_: record.text for id_, record in found.items()}
    passages = {
        query: [storable(text) for s in sources if (text := s.text or texts.get(s.id or ""))]
        for query, sources in listed.items()
    }
    # a question that finds nothing has no topic in this corpus: what the others find is as near as any text of it
    pool = [found[0] for found in passages.values() if found]
    return {query: found or pool for query, found in passages.items()}
