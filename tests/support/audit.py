"""Audits of records that stand in a list, and plants made by the pattern library."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from darnel.audit.detector import Context
from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.model import Finding
from darnel.audit.readers.corpus import StoreReader
from darnel.audit.results import AuditResults
from darnel.core.corpus import Record
from darnel.core.pattern import Crafted, CraftRequest
from darnel.core.plant import find_markers, make_marker
from darnel.patterns.registry import parse_doses

CARRIER = (
    "Our harbour office opens at nine on weekdays, and visitors sign the book by the door before they walk down to the "
    "jetty where the ferries leave for the islands twice a day in summer."
)


class Listed:
    """A corpus reader over a list."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = list(records)

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        for start in range(0, len(self._records), batch):
            yield self._records[start : start + batch]

    def ids(self) -> list[str]:
        return [r.id for r in self._records]

    def plants(self) -> list[Record]:
        return []


def audit(
    records: Sequence[Record], *, batch: int = 1_000, detectors: Sequence[str] = (), **context: Any
) -> AuditResults:
    """Audit records; ``context``: queries, embed, budget."""
    reader = StoreReader(Listed(records), "list", total=len(records), vectors=True)
    results = run_audit([reader], AuditOptions(Context(**context), detectors, batch=batch))
    assert not results.errors, results.errors
    return results


def audit_texts(*texts: str, **given: Any) -> list[Finding]:
    """Findings on records ``0``, ``1``, ... of these texts."""
    return audit([Record(str(i), text) for i, text in enumerate(texts)], **given).findings


def found_by(findings: Sequence[Finding], detector: str) -> set[str]:
    """Ids of the records in which a detector found something."""
    return {f.record for f in findings if f.detector == detector}


def plant(
    dose: str, query: str, *, others: Sequence[str] = (), passages: Sequence[str] = ()
) -> tuple[Record, Sequence[str]]:
    """One plant without its marker, and the texts that its vector is the mean of."""
    (made,) = parse_doses([dose], controls=False)
    marker = make_marker(0, dose, query)
    request = CraftRequest(
        *(query, made.strength, 0, marker, lambda m: f"{CARRIER} {m}", passages, random.Random(0)),
        others=others,
        template={"title": "", "tags": ""},
    )
    crafted = made.pattern.craft(request)
    crafted = Crafted(crafted) if isinstance(crafted, str) else crafted
    text = crafted.text
    for found in find_markers(text):
        text = text.replace(found, "entry")
    return Record("plant", text, dict(crafted.metadata)), crafted.vector_of
