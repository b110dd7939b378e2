"""Made-up turns of a conversation."""

from __future__ import annotations

from darnel.patterns.payloads.turns import fake_envelope, fake_template, fake_turn
from poisoned_rag.attacks.base import family

ATTACKS = family(
    "whether a document can end itself and speak as somebody else", fake_envelope, fake_template, fake_turn
)
