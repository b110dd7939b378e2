"""The trust that a source's metadata claims."""

from __future__ import annotations

import math
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
    """The trust claimed, from 0 to 1: a number, as text too, or a tier's name; 0.2 where it says nothing that is known."""
    given = next((v for k in TRUST_KEYS if (v := (metadata or {}).get(k)) is not None), None)
    value = _number(given) if not isinstance(given, str) else TIERS.get(given.strip().lower(), _number(given))
    return min(1.0, max(0.0, value))


def _number(given: object) -> float:
    """The number given, as text too: some stores keep no other; what is none, and what is no number, is unknown trust."""
    try:
        value = float(given) if isinstance(given, int | float | str) else UNKNOWN_TRUST
    except ValueError:
        return UNKNOWN_TRUST
    return value if math.isfinite(value) else UNKNOWN_TRUST
