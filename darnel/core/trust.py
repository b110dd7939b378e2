"""The trust that a source's metadata claims."""

from __future__ import annotations

from collections.abc import Mapping

from darnel.core.plant import MetaValue

TIERS: Mapping[str, float] = {"trusted": 1.0, "official": 1.0, "internal": 1.0, "partner": 0.6, "community": 0.3}
UNKNOWN_TRUST = 0.2
"""Of a source that says nothing of its trust, or what nobody knows."""
TRUST_KEYS = ("trust", "trust_tier", "trust_level", "trust_score")


def claims_trust(metadata: Mapping[str, MetaValue] | None) -> bool:
    """Whether it says anything of trust."""
    return any((metadata or {}).get(key) is not None for key in TRUST_KEYS)


def trust_of(metadata: Mapping[str, MetaValue] | None) -> float:
    """The trust claimed, from 0 to 1: a number or a tier's name; 0.2 where it says nothing that is known."""
    given = next((v for k in TRUST_KEYS if (v := (metadata or {}).get(k)) is not None), None)
    known = TIERS.get(given.strip().lower(), UNKNOWN_TRUST) if isinstance(given, str) else given
    value = float(known) if isinstance(known, int | float) else UNKNOWN_TRUST
    return min(1.0, max(0.0, value))
