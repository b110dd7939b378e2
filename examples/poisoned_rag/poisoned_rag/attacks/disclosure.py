"""The prompt's own secret."""

from __future__ import annotations

from darnel.patterns.payloads.disclosure import disclose
from poisoned_rag.attacks.base import family

ATTACKS = family("whether the canary in the system message is given away", disclose)
