"""Spelt otherwise."""

from __future__ import annotations

from darnel.patterns.payloads.encoded import backwards, encoded
from poisoned_rag.attacks.base import family

ATTACKS = family("whether other spellings get past filters, on the way in and on the way out", backwards, encoded)
