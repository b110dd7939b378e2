"""Asked for outright."""

from __future__ import annotations

from darnel.patterns.payloads.plain import order, polite
from poisoned_rag.attacks.base import family

ATTACKS = family("whether a document's plain request is taken for the user's", order, polite)
