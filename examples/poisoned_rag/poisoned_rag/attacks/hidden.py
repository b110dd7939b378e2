"""Said where no reader sees it."""

from __future__ import annotations

from darnel.patterns.payloads.hidden import hidden_comment
from poisoned_rag.attacks.base import family

ATTACKS = family("whether the ingest keeps what the page does not show", hidden_comment)
