"""What a run would plant, with nothing written: no plant, no ledger."""

from __future__ import annotations

from collections.abc import Sequence

from darnel.cli.progress import say
from darnel.cli.tables import print_json, print_table
from darnel.core.corpus import Target
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.planting.campaign import new_campaign_id
from darnel.core.queries import Query
from darnel.core.running.baseline import ask_baseline
from darnel.core.running.crops import craft_all
from darnel.core.running.runner import prepare


def print_plan(
    target: Target, queries: Sequence[Query], doses: Sequence[Dose], options: RunOptions, *, as_json: bool
) -> int:
    """Check everything, craft everything, print it."""
    run = prepare(target, queries, doses, options)
    run.baseline = ask_baseline(run)
    campaign = new_campaign_id()
    craft_all(run, campaign)
    where = f"{run.description.backend} {run.description.container}"
    plants = [p for crop in run.crops for p in crop.all()]
    if as_json:
        rows = [
            {"id": p.id, "plant": p.name, "marker": p.marker, "text": p.text, "metadata": dict(p.metadata)}
            for p in plants
        ]
        print_json({"container": where, "campaign": campaign, "plants": rows})
    else:
        print_table(["id", "plant", "text"], ((p.id, p.name, p.text[:80]) for p in plants))
    for warning in run.warnings:
        say(f"warning: {warning}")
    say(f"dry run: {len(plants):,} plants for {where}; nothing was written (each run draws ids of its own)")
    return 0
