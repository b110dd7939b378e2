"""Stretches of letters that nobody writes, such as optimised suffixes, told from what this corpus itself looks like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context
from darnel.audit.model import Finding, Span
from darnel.audit.ngrams import CharacterModel, codes_of, normal
from darnel.audit.prose import BLANK
from darnel.audit.sketch import FEWEST, Histogram

WINDOW = 80
"""Characters of a stretch."""
SHORTEST = 2 * WINDOW
MOST = 100_000
"""Characters of one text that are looked at."""
FLOOR = 4.5
"""Bits a character below which nothing is reported: prose has about two in a corpus of its own kind."""
APART = 2.0
"""Bits by which the stretch is above the best quarter of its text: a text in another language is odd throughout."""
MOST_BITS = 16.0
"""The histogram's range."""
PARTS = 4
"""Of the alert budget."""
SCRIPTS = ((0x250, "latin"), (0x590, "greek or cyrillic"), (0x900, "hebrew or arabic"), (0x2E80, "other"))
"""Where the blocks of scripts end."""


class Unnatural(BaseDetector):
    """Learns the corpus's rows of four characters, then looks for the stretch of each text that they foretell worst."""

    name = "unnatural"
    summary = (
        "Stretches of characters that the rest of the corpus does not foretell, in the midst of a text that it does."
    )
    blind = (
        "Fluent text; texts that are odd throughout, as one in another language is; code, tables and strings without blanks; "
        "stretches of less than 80 characters; scripts of which there are fewer than 200 texts."
    )
    advice = "Read the stretch; remove it, or the record, if it means nothing."
    learns = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._model = CharacterModel()
        self._carried = False
        self._worst: dict[str, Histogram] = {}
        self._odd: list[tuple[str, float, Finding]] = []

    def learn(self, batch: Batch) -> None:
        """Count the characters of every text, unless those of another corpus are given."""
        if not self._carried:
            self._model.learn(_written(entry) for entry in batch.entries)

    def look(self, entry: Entry) -> Iterator[Finding]:
        """Measure; what is odd for this corpus is known at the end."""
        import numpy as np

        text = _written(entry)
        if len(text) >= SHORTEST:
            bits = np.cumsum(self._model.bits(text))
            windows = (bits[WINDOW:] - bits[:-WINDOW]) / WINDOW
            at = int(windows.argmax())
            worst, usual = float(windows[at]), float(np.quantile(windows, 0.25))
            group = _script(text)
            self._worst.setdefault(group, Histogram()).add(worst / MOST_BITS)
            if worst >= FLOOR and worst - usual >= APART:
                why = (
                    f"A stretch costs {worst:.1f} bits a character where {usual:.1f} is usual in this text "
                    "and {usual} the corpus's."
                )
                shown = Span(0, 0, text[at : at + WINDOW + 4])
                self._odd.append((group, worst, self.finding(entry, "low", round(worst, 3), why, [shown])))
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """What is far outside even for this corpus."""
        import msgspec

        for group, worst, found in self._odd:
            histogram = self._worst[group]
            if histogram.n >= FEWEST and worst / MOST_BITS >= histogram.threshold(
                self.context.budget / PARTS, FLOOR / MOST_BITS
            ):
                usual = f"{histogram.quantile(0.5) * MOST_BITS:.1f}"
                yield msgspec.structs.replace(found, why=found.why.replace("{usual}", usual))

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        worst = {script: h.counts for script, h in sorted(self._worst.items())}
        return {"model": self._model.packed(), "worst": worst}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """See ``Calibrated.carry``."""
        self._model, self._carried = CharacterModel.unpacked(kept["model"]), True
        for script, counts in kept["worst"].items():
            self._worst[script] = Histogram(counts)


def _written(entry: Entry) -> str:
    return normal(entry.prose[:MOST].replace(BLANK, " "))


def _script(text: str) -> str:
    """The block that the median letter is of: enough to keep alphabets apart."""
    import numpy as np

    codes = codes_of(text)
    letters = codes[codes > 0x40]
    middle = int(np.sort(letters)[len(letters) // 2]) if len(letters) else 0
    return next((name for end, name in SCRIPTS if middle < end), "east asian")
