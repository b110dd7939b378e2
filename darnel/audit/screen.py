"""Detectors on one record at a time, where there is no corpus to compare with: at ingest, and on what a search returned."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from darnel.audit.batch import Batch, check_installed, to_arrow
from darnel.audit.detector import Context, Detector, keeps_something
from darnel.audit.model import SEVERITIES, Finding, Severity
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.fields import clean
from darnel.audit.registry import known_detectors, make_detectors
from darnel.core.errors import UsageError
from darnel.core.queries import Query

Mode = Literal["flag", "drop"]
SEVERITY_KEY, FINDINGS_KEY = "darnel_severity", "darnel_findings"
"""Metadata of a flagged document: the worst severity, and a line a finding. Both are texts, which every store keeps."""
log = logging.getLogger("darnel.audit")


class Screen:
    """The detectors that can tell from a record alone; safe to use from several threads.

    Args:
        detectors: names; where none is given, all that need no corpus.
        queries: questions that users ask, for the echo detector.
        mode: whether a document with findings is flagged in its metadata, or dropped.
        drop_at: the severity from which it is dropped.

    Raises:
        UnknownNameError: no detector of that name.
        UsageError: a detector needs a corpus, or the mode is no mode.
        TargetError: a package of the extra is not installed.
    """

    def __init__(
        self,
        detectors: Sequence[str] = (),
        queries: Sequence[str] = (),
        mode: Mode = "flag",
        drop_at: Severity = "high",
    ) -> None:
        check_installed()
        if mode not in ("flag", "drop") or drop_at not in SEVERITIES:
            raise UsageError(
                f"mode '{mode}', drop_at '{drop_at}': give flag or drop, and one of {', '.join(SEVERITIES)}"
            )
        self.mode, self._least = mode, SEVERITIES.index(drop_at)
        context = Context([Query(str(number), text) for number, text in enumerate(queries)])
        made = make_detectors(detectors, context)
        if needing := [d.name for d in made if detectors and not tells_alone(d)]:
            raise UsageError(f"the detector {needing[0]} compares a record with its corpus; run darnel audit on that")
        running = [d for d in made if tells_alone(d) and d.unusable() is None]
        self._shared = [d for d in running if not keeps_something(d)]
        makers = known_detectors()
        self._fresh = [(makers[d.name], context) for d in running if keeps_something(d)]

    def findings(
        self, record: str, text: str, metadata: Mapping[str, Any], question: str | None = None
    ) -> list[Finding]:
        """What is found in one record, the worst first; ``question``: one that was just asked, whose echo counts too."""
        batch = Batch(to_arrow([clean(record, text, metadata, None, ReadLog(), record)]))
        detectors: list[Detector] = [*self._shared, *(make(context) for make, context in self._fresh)]
        if question is not None:
            detectors += make_detectors(["echo"], Context([Query("asked", question)]))
        found = [finding for detector in detectors for finding in (*detector.examine(batch), *detector.finish())]
        return sorted(found, key=lambda f: f.order)

    def judged(
        self, record: str, text: str, metadata: Mapping[str, Any], question: str | None = None
    ) -> dict[str, str] | None:
        """What to add to the record's metadata, or None where it is to be dropped; what is dropped is logged."""
        found = self.findings(record, text, metadata, question)
        if not found:
            return {}
        if self.mode == "flag":
            lines = "\n".join(f"{f.severity} {f.detector}: {f.why}" for f in found)
            return {SEVERITY_KEY: found[0].severity, FINDINGS_KEY: lines}
        bad = [f for f in found if SEVERITIES.index(f.severity) >= self._least]
        if not bad:
            return {}
        log.warning("dropped the document %r: %s", record, "; ".join(f"{f.severity} {f.detector}" for f in bad))
        return None


def tells_alone(detector: Detector) -> bool:
    """Whether it can tell anything of a record without its corpus."""
    return bool(getattr(detector, "alone", False))
