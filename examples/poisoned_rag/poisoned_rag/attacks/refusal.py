"""No answer at all."""

from __future__ import annotations

from darnel.patterns.payloads.refusal import refuse
from poisoned_rag.attacks.base import family

ATTACKS = family("whether a document can keep a question from being answered", refuse)
