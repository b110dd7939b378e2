"""Vectors that their text does not have: swapped, planted, or left over from an older text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from darnel.audit.batch import Batch
from darnel.audit.detector import BaseDetector, Context, Ref
from darnel.audit.model import Finding, Severity, Span
from darnel.audit.sketch import Histogram
from darnel.core.errors import EmbedderError

CUT = 0.999
"""Cosine that honest vectors reach, through batches, half precision and int8 quantisation."""
AGREES = 0.99
"""Median cosine below which the embedder is not the corpus's own."""


class Reencode(BaseDetector):
    """Embeds every text again, so it costs what embedding the corpus costs."""

    name = "reencode"
    summary = "Stored vectors that are not their text's by the application's embedder (needs vectors and --embedder)."
    blind = "Texts written for a query, whose vectors are honestly theirs; and a vector turned by less than the cut."
    advice = "Embed the record again from its text; find out who writes vectors to the store directly."

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._cosines = Histogram()
        self._off: list[tuple[Ref, float, str]] = []

    def unusable(self) -> str | None:
        """Without an embedder there is nothing to compare with."""
        return None if self.context.embed else "it needs the application's embedder: --embedder SPEC"

    def examine(self, batch: Batch) -> Iterable[Finding]:
        """Only notes what is off: whether the embedder agrees at all is known at the end."""
        import numpy as np

        assert self.context.embed is not None
        entries = [e for e in batch.entries if e.vector is not None and e.text]
        if not entries:
            return ()
        fresh = np.asarray(self.context.embed([e.text for e in entries]), dtype=np.float64)
        for entry, own in zip(entries, fresh, strict=True):
            stored = np.asarray(entry.vector, dtype=np.float64)
            if stored.shape != own.shape:
                raise EmbedderError(
                    f"the embedder gives {own.shape[0]} dimensions and the corpus holds {stored.shape[0]}"
                )
            length = float(np.linalg.norm(stored) * np.linalg.norm(own))
            cosine = float(stored @ own) / length if length and np.isfinite(length) else 0.0
            self._cosines.add(cosine)
            if cosine < CUT:
                self._off.append((Ref(entry.id, entry.source), cosine, entry.text[:160]))
        return ()

    def finish(self) -> Iterator[Finding]:
        """Every record whose vector is off, unless the embedder is another one.

        Raises:
            EmbedderError: the median record disagrees, so the embedder is not the one that the corpus was built with.
        """
        if self._cosines.n and self._cosines.quantile(0.5) < AGREES:
            raise EmbedderError(
                f"the median stored vector has cosine {self._cosines.quantile(0.5):.2f} to its text's; "
                "give the embedder that the application uses with --embedder"
            )
        for record, cosine, text in sorted(self._off):
            severity: Severity = "high" if cosine < 0.9 else "medium"
            why = f"The stored vector has cosine {cosine:.4f} to the text's own: it is stale or swapped."
            yield self.finding(record, severity, round(1 - cosine, 6), why, [Span(0, 0, text)])
