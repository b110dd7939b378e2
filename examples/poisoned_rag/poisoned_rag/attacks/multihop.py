"""Two documents that only work together."""

from __future__ import annotations

from darnel.patterns.payloads.multihop import multi_hop
from poisoned_rag.attacks.base import family

ATTACKS = family("whether looking at each document by itself is enough", multi_hop)
