"""How well a corpus predicts the next character of a text: counts of one to four characters in a table of fixed size."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.uint64]
    Bits = NDArray[np.float64]

CELLS = 1 << 21
"""Counters, of 4 bytes: 8 MB whatever the size of the corpus."""
ORDER = 4
ALPHABET = 5_000.0
"""Characters that may come next, where nothing is known."""
PRIOR = 2.0
"""How many sightings of its beginning a longer row of characters needs to count as much as a shorter one."""
FEW = 32
"""Sightings below which it matters that some are the text's own."""
_DIGIT = re.compile(r"\d")
_LONG = re.compile(r"[!-~]{40,}")
_LEVELS = 8.0
"""Steps to a doubling in which a carried table keeps its counts."""


def normal(text: str) -> str:
    """Lower case, digits alike, blanks alike, without the long strings that are addresses, keys or hashes."""
    return _LONG.sub(" ", _DIGIT.sub("0", " ".join(text.lower().split())))


def codes_of(text: str) -> Codes:
    """Code points."""
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)


class CharacterModel:
    """Counts rows of up to four characters; forgets which text they were in."""

    def __init__(self) -> None:
        import numpy as np

        self._counts = np.zeros(CELLS, dtype=np.uint32)
        self._characters = 0
        self._carried = False

    def learn(self, texts: Iterable[str]) -> None:
        """Count texts, as ``normal`` gives them."""
        import numpy as np

        for text in texts:
            codes = codes_of(text)
            for order in range(1, ORDER + 1):
                np.add.at(self._counts, _hashes(codes, order), 1)
            self._characters += len(codes)

    def bits(self, text: str) -> Bits:
        """Bits that each character from the fourth on costs, by all the other texts that were learned."""
        import numpy as np

        codes = codes_of(text)
        if len(codes) < ORDER:
            return np.zeros(0)
        rows = len(codes) - ORDER + 1
        counts = [self._others(_hashes(codes, order)) for order in range(1, ORDER + 1)]
        chance = (counts[0][ORDER - 1 :] + 1.0) / (self._characters + ALPHABET)
        for order in range(2, ORDER + 1):
            seen, begun = counts[order - 1][-rows:], counts[order - 2][-rows - 1 : -1]
            chance = (seen + PRIOR * chance) / (begun + PRIOR)
        found: Bits = -np.log2(np.clip(chance, 1e-9, 1.0))
        return found

    def _others(self, hashes: Any) -> Bits:
        """Sightings elsewhere: a rare row's own ones are taken off."""
        import numpy as np

        counts: Bits = self._counts[hashes].astype(np.float64)
        if self._carried:
            return counts
        rare = np.flatnonzero(counts <= FEW)
        _, back, times = np.unique(hashes[rare], return_inverse=True, return_counts=True)
        counts[rare] -= times[back]
        return counts

    def packed(self) -> dict[str, Any]:
        """The table for a profile: counts kept to a twelfth, compressed; up to 2 MB."""
        import base64
        import zlib

        import numpy as np

        levels = np.minimum(255, np.round(_LEVELS * np.log2(1.0 + self._counts))).astype(np.uint8)
        return {
            "characters": self._characters,
            "table": base64.b64encode(zlib.compress(levels.tobytes(), 6)).decode(),
        }

    @classmethod
    def unpacked(cls, kept: Any) -> CharacterModel:
        """The model of another corpus, which learns no more.

        Raises:
            ValueError: this is no such table.
        """
        import base64
        import zlib

        import numpy as np

        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode(kept["table"]), CELLS)
        if len(raw) != CELLS or stream.unconsumed_tail:
            raise ValueError("the table of characters has another size")
        model = cls()
        model._counts = np.round(2.0 ** (np.frombuffer(raw, np.uint8) / _LEVELS) - 1.0).astype(np.uint32)
        model._characters, model._carried = int(kept["characters"]), True
        return model


def _hashes(codes: Codes, order: int) -> Any:
    import numpy as np

    mixed = np.full(max(0, len(codes) - order + 1), order, dtype=np.uint64)
    for at in range(order):
        mixed = (mixed + codes[at : at + len(mixed)]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(CELLS)).astype(np.intp)
