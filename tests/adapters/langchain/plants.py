"""Plants for tests that write without a campaign."""

from __future__ import annotations

from typing import Any

from darnel.core.plant import Plant, make_marker, make_plant

CAMPAIGN = "20261130-000000-0123456789"


def plant(
    copy: int = 0, text: str = "The lantern on the pier is lit at dusk.", campaign: str = CAMPAIGN, **metadata: Any
) -> Plant:
    marker = make_marker(0, copy)
    return make_plant(
        identity="test",
        campaign=campaign,
        pattern="test",
        strength=1,
        query_id="q1",
        copy=copy,
        marker=marker,
        text=f"{text} {marker}",
        metadata={"source": f"plant-{copy}.md", "tenant": "blue", "page": 2, **metadata},
    )
