"""The attacks: one module a family, each on payloads of darnel's."""

from __future__ import annotations

from poisoned_rag.attacks import (
    authority,
    disclosure,
    encoded,
    grading,
    hidden,
    multihop,
    plain,
    refusal,
    tools,
    turns,
)
from poisoned_rag.attacks.base import Attack

_FAMILIES = (plain, turns, authority, hidden, disclosure, grading, encoded, multihop, tools, refusal)


def all_attacks() -> list[Attack]:
    """Every attack, family by family."""
    return [attack for module in _FAMILIES for attack in module.ATTACKS]


def families() -> list[str]:
    """Names of the families, in their order."""
    return list(dict.fromkeys(attack.family for attack in all_attacks()))
