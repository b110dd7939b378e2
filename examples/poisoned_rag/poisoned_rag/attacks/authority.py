"""An order with somebody's name under it."""

from __future__ import annotations

from darnel.patterns.payloads.authority import authority
from poisoned_rag.attacks.base import family

ATTACKS = family("whether a claim of office is believed", authority)
