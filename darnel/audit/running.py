"""What is known of an audit under way; a detector that fails is named and asked no more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from darnel.audit.batch import Batch
from darnel.audit.detector import Detector
from darnel.audit.model import Finding
from darnel.audit.readers.base import ReadLog
from darnel.core.errors import describe_error


@dataclass(slots=True)
class Running:
    """Findings so far, what was read of each source by its number, and what went wrong.

    ``broken``: detectors that failed, and why.
    """

    findings: list[Finding] = field(default_factory=list)
    logs: dict[int, ReadLog] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    def look(self, detectors: Sequence[Detector], batch: Batch) -> None:
        """The first pass over a batch: those that learn learn, the others examine it."""
        for detector in detectors:
            if detector.learns:
                self._ask(detector, detector.learn, batch)
            else:
                self.tell(detector, detector.examine, batch)

    def examine(self, detectors: Sequence[Detector], batch: Batch) -> None:
        """The second pass over a batch."""
        for detector in detectors:
            self.tell(detector, detector.examine, batch)

    def looks_again(self, detector: Detector) -> bool:
        """Whether one that has learnt needs the second pass."""
        again = getattr(detector, "looks_again", None)  # those of others need not say
        return self._ask(detector, again) is True if again is not None else detector.name not in self.broken

    def tell(self, detector: Detector, find: Callable[..., Iterable[Finding]], *given: object) -> None:
        """Keep what a detector finds, up to where it fails."""

        def keep() -> None:
            for finding in find(*given):
                self.findings.append(finding)

        self._ask(detector, keep)

    def _ask(self, detector: Detector, what: Callable[..., object], *given: object) -> object:
        if detector.name in self.broken:
            return None
        try:
            return what(*given)
        except Exception as error:  # a detector's, and those of others may raise anything
            self.break_down(detector.name, describe_error(error))
            return None

    def break_down(self, name: str, why: str) -> None:
        """Say once that a detector failed."""
        if name not in self.broken:
            self.broken[name] = why
            self.errors.append(f"the detector {name} failed and was left out from there on: {why}")
