"""Plant by hand: craft, write, wait until visible, and leave it there for ``sweep``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from darnel.core.corpus import Target
from darnel.core.errors import InterruptedCampaign
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.removal import Leftover
from darnel.core.queries import Query
from darnel.core.running.baseline import ask_baseline
from darnel.core.running.crops import craft_all
from darnel.core.running.runner import prepare


@dataclass(frozen=True, slots=True)
class Held:
    """What now stands in the corpus. With an ``error``, nothing was kept and ``leftovers`` names what could not go."""

    campaign: str
    container: str
    plants: tuple[Plant, ...]
    warnings: tuple[str, ...]
    error: str | None = None
    leftovers: tuple[Leftover, ...] = ()


def plant_and_hold(
    target: Target,
    queries: Sequence[Query],
    doses: Sequence[Dose],
    options: RunOptions,
    ledger: Ledger,
    notify: Callable[[str], None],
) -> Held:
    """Plant every dose for every query and keep it, or keep nothing where a part did not become visible.

    Raises:
        DarnelError: the target, the queries or the settings do not hold; nothing was planted.
    """
    run = prepare(target, queries, doses, options)
    if any(d.pattern.needs_passages for d in run.doses):
        run.baseline = ask_baseline(run)
    container = f"{run.description.backend} {run.description.container}"
    campaign = Campaign(
        target.injector,
        ledger,
        spec=target.spec,
        visible_within=options.visible_within,
        gone_within=options.gone_within,
        notify=notify,
        description=run.description,
    )
    craft_all(run, campaign.id)
    plants = tuple(p for crop in run.crops for p in crop.all())
    try:
        with campaign:
            error = _plant_and_hold(campaign, plants)
    except InterruptedCampaign as interruption:
        error = str(interruption)
    finally:
        campaign.close()
    kept = () if error else plants
    return Held(campaign.id, container, kept, tuple(run.warnings), error, tuple(campaign.leftovers))


def _plant_and_hold(campaign: Campaign, plants: Sequence[Plant]) -> str | None:
    """Plant and keep; says why nothing is kept, if so."""
    planting = campaign.plant(plants)
    if planting.missing:
        why = planting.error or f"not read back within {planting.delay:.1f} s"
        return f"{len(planting.missing)} of {len(plants)} plants did not become visible: {why}"
    campaign.hold()
    return None
