"""Records that many questions find, and that lie in the very middle of the questions as no document does by itself."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Batch
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Span
from darnel.audit.similarity import DIGITS, query_vectors, record_vectors, why_not
from darnel.audit.sketch import FEWEST, Histogram

if TYPE_CHECKING:
    from darnel.audit.similarity import Matrix

K = 10
"""Records that a question finds."""
MIDDLE = 10
"""Questions nearest to a record: how well it hits their mean is what is compared, so a topic is judged by itself."""
FEWEST_FINDS = 3
PARTS = 5
"""Of the alert budget."""
CHANCE = 0.01
"""Probability that any record of the corpus is found as often, if questions found records at random."""
SURE = 0.9
"""Cosine to the mean of its questions that counts in a corpus too small to say what is usual."""


class Hubs(BaseDetector):
    """Keeps the ten best records of each question, a text's beginning each, and a histogram."""

    name = "hubs"
    summary = "Records among the first ten of far more questions than chance, at the very middle of them (--queries, --embedder)."
    blind = (
        "Questions unlike those in the file, records written for one question, lexical search, fewer than 30 questions, "
        "and hubs that are more than a tenth of the corpus."
    )
    advice = "Ask one of the questions and read what the record adds to the answer; embed it again from its source."
    learns = True  # it must see every record, the known ones too

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._middles = Histogram()
        self._best: list[list[tuple[float, Ref]]] = [[] for _ in context.queries]
        self._kept: dict[Ref, tuple[float, str]] = {}
        self._seen = 0

    def unusable(self) -> str | None:
        """See ``Detector.unusable``."""
        return why_not(self.context)

    @cached_property
    def _queries(self) -> Matrix:
        return query_vectors(self.context)

    def learn(self, batch: Batch) -> None:
        """Let every question find its best of the batch and of those before."""
        import numpy as np

        entries, vectors = record_vectors(self.context, batch.entries, self._queries.shape[1])
        if not entries:
            return
        self._seen += len(entries)
        cosines = np.round(vectors @ self._queries.T, DIGITS)
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :MIDDLE]
        means = self._queries[nearest].mean(axis=1)
        lengths = np.maximum(1e-12, np.linalg.norm(means, axis=1))
        middles = np.round((means * vectors).sum(axis=1) / lengths, DIGITS)
        for middle in middles.tolist():
            self._middles.add(middle)
        refs = [Ref(e.id, e.source) for e in entries]
        for number, best in enumerate(self._best):
            worst = -best[-1][0] if len(best) == K else -2.0
            near = np.flatnonzero(cosines[:, number] >= worst)
            if len(near):
                best += [(-float(cosines[i, number]), refs[i]) for i in near]
                best.sort()
                del best[K:]
                self._kept.update((refs[i], (float(middles[i]), entries[i].text[:160])) for i in near)
        held = {ref for best in self._best for _, ref in best}
        self._kept = {ref: kept for ref, kept in self._kept.items() if ref in held}

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """Nothing can be told before all were found."""
        return iter(())

    def finish(self) -> Iterator[Finding]:
        """What is found more often than chance and lies nearer to the middle than documents do."""
        finds = Counter(ref for best in self._best for _, ref in best)
        asked: dict[Ref, list[int]] = defaultdict(list)
        for number, best in enumerate(self._best):
            for _, ref in best:
                asked[ref].append(number)
        least, middle = self._fewest(), gaussian_threshold(self._middles, self.context.budget / PARTS, SURE)
        for ref, times in sorted(finds.items()):
            value, text = self._kept[ref]
            if times < least or value < middle:
                continue
            why = (
                f"{times} of {len(self._best)} questions find it among their first {K}, where {least} are beyond chance, and its "
                f"vector has cosine {value:.2f} to the mean of its nearest ones; {self._middles.quantile(0.5):.2f} is the median."
            )
            shown = [self.context.queries[n].text for n in asked[ref][:4]]
            spans = [Span(0, 0, text), *(Span(0, 0, f"found by: {q[:140]}") for q in shown)]
            yield self.finding(ref, "medium", times * value, why, spans)

    def _fewest(self) -> int:
        """Finds that no record of the corpus has by chance: a binomial tail, for as many records as there are."""
        chance, asked = min(1.0, K / max(1, self._seen)), len(self._best)
        tail, times = 1.0, 0
        while times < asked and tail * self._seen > CHANCE:
            tail -= math.comb(asked, times) * chance**times * (1 - chance) ** (asked - times)
            times += 1
        return max(FEWEST_FINDS, times)

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        return {"middles": self._middles.counts}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """See ``Calibrated.carry``."""
        self._middles = Histogram(kept["middles"])


def gaussian_threshold(histogram: Histogram, budget: float, sure: float) -> float:
    """The cosine that ``budget`` of honest records would pass: cosines are normal once their ends are stretched (Fisher)."""
    from statistics import NormalDist

    if histogram.n < FEWEST:
        return sure
    median, high = (math.atanh(min(0.999, histogram.quantile(share))) for share in (0.5, 0.9))
    spread = (high - median) / NormalDist().inv_cdf(0.9)
    return math.tanh(median + spread * NormalDist().inv_cdf(1 - budget))
