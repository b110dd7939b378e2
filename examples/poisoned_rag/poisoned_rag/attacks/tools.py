"""A call of the fake tool."""

from __future__ import annotations

from darnel.patterns.payloads.tools import tool_call
from poisoned_rag.attacks.base import family

ATTACKS = family("whether a document can ask for a tool", tool_call)
