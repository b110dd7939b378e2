"""The gate for what is new: documents that push everything known aside for questions that have nothing to do with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Span
from darnel.audit.profile import hash_of_questions
from darnel.audit.similarity import DIGITS, query_vectors, record_vectors, why_not
from darnel.core.errors import UsageError

if TYPE_CHECKING:
    from darnel.audit.similarity import Matrix

FEWEST = 3
"""Unrelated questions that one new record must win."""
RELATED = 0.9
"""Of all pairs of questions, the share that is less alike than two that count as one topic."""


class Sentinel(BaseDetector):
    """Keeps the best known record's cosine for each question, and what new records beat."""

    name = "sentinel"
    summary = "New records that beat every known one for several unrelated questions (--new or --since, --queries, --embedder)."
    blind = "Records that were there before, new ones for a single topic, questions unlike those in the file, lexical search."
    advice = "Read the new record before it is let in: honest pages answer related questions."
    learns = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._best: list[float] | None = None
        self._won: list[tuple[Ref, str, dict[int, float]]] = []

    def unusable(self) -> str | None:
        """See ``Detector.unusable``."""
        if self.context.profile is None and not self.context.calibrating:
            return "it needs records that are known to be good: --new FILE or --since PROFILE"
        return why_not(self.context)

    @cached_property
    def _queries(self) -> Matrix:
        return query_vectors(self.context)

    def learn(self, batch: Batch) -> None:
        """The best cosine of known records for each question."""
        profile = self.context.profile
        known = batch.entries if profile is None else profile.parted(batch.entries)[0]
        cosines = self._cosines(known)[1]
        if len(cosines):
            best = cosines.max(axis=0).tolist()
            self._best = best if self._best is None else [max(a, b) for a, b in zip(self._best, best, strict=True)]

    def examine(self, batch: Batch) -> Iterator[Finding]:
        """Every new record that beats the known ones somewhere."""
        import numpy as np

        if self.context.profile is None or self._best is None:
            return
        new = self.context.profile.parted(batch.entries)[1]
        entries, cosines = self._cosines(new)
        for entry, row in zip(entries, cosines, strict=True):
            won = np.flatnonzero(row > np.array(self._best))
            margins = [(self._best[n] - row[n], int(n)) for n in won]
            topics = self._unrelated([n for _, n in sorted(margins)])
            if len(topics) >= FEWEST:
                why = f"It is nearer than any known record to {len(won)} questions, {len(topics)} of them on unrelated matters."
                spans = [Span(0, 0, f"wins: {self.context.queries[n].text[:140]}") for n in topics[:4]]
                yield self.finding(entry, "medium", float(len(topics)), why, spans)

    def _cosines(self, entries: Sequence[Entry]) -> tuple[list[Entry], Any]:
        import numpy as np

        kept, vectors = record_vectors(self.context, entries, self._queries.shape[1])
        return kept, np.round(vectors @ self._queries.T, DIGITS) if kept else np.zeros((0, len(self._queries)))

    @cached_property
    def _alike(self) -> Any:
        """Which questions are on one matter: those as alike as the nearest tenth of all pairs."""
        import numpy as np

        cosines = np.round(self._queries @ self._queries.T, DIGITS)
        return cosines >= np.quantile(cosines[np.triu_indices(len(cosines), 1)], RELATED)

    def _unrelated(self, questions: Sequence[int]) -> list[int]:
        """Of these, in order, each that is on another matter than those taken before."""
        taken: list[int] = []
        for number in questions:
            if not any(self._alike[number, other] for other in taken):
                taken.append(number)
        return taken

    def calibration(self) -> Mapping[str, Any]:
        """See ``Calibrated.calibration``."""
        return {"questions": self._asked(), "best": self._best or []}

    def carry(self, kept: Mapping[str, Any]) -> None:
        """See ``Calibrated.carry``.

        Raises:
            UsageError: the profile was made with other questions.
        """
        if kept["questions"] != self._asked():
            raise UsageError("the profile was made with other questions; give the same --queries, or calibrate again")
        self._best = [float(cosine) for cosine in kept["best"]] or None

    def _asked(self) -> str:
        return hash_of_questions(q.text for q in self.context.queries)
