"""Plants made by hand, for tests of the campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger


def make_plants(campaign: Campaign, count: int = 10, before: Sequence[str] = ("planted",), **given: Any) -> list[Plant]:
    """Plants of a campaign that was entered, each with its own copy number; their texts begin with ``before`` in turn."""
    made = []
    for number in range(count):
        marker = make_marker(0, number)
        fields = {"text": f"{before[number % len(before)]} {number} {marker}", "metadata": {"tenant": "acme"}, **given}
        made.append(
            make_plant(
                identity=campaign.where.identity,
                campaign=campaign.id,
                pattern="hand",
                strength=1,
                query_id="q",
                copy=number,
                marker=marker,
                **fields,
            )
        )
    return made


def states(ledger: Ledger, campaign: str) -> dict[str, str]:
    """Plant id → state, of all a campaign's plants."""
    every = ("writing", "written", "removed", "leftover", "changed")
    return {p.id: p.state for p in ledger.plants(campaign, every)}
