"""What a detector is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

from darnel.audit.batch import Batch, Entry
from darnel.audit.model import MOST_SPANS, Finding, Severity, Span, in_context
from darnel.core.queries import Query

Embed = Callable[[Sequence[str]], Any]
"""Texts → float32 of shape (texts, dimension)."""


class Taught(Protocol):
    """What a known-good corpus taught, as ``darnel.audit.profile.Profile`` holds it."""

    def parted(self, entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
        """The records that it knows, and the others."""
        ...

    def hand_to(self, detector: Detector) -> None:
        """Let a detector judge by what it learned there."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """What detectors may use besides the corpus. ``budget``: the share of clean records that may raise an alarm."""

    queries: Sequence[Query] = ()
    embed: Embed | None = None
    budget: float = 0.005
    embed_queries: Embed | None = None
    """For models that embed questions in another way than documents."""
    profile: Taught | None = None
    """What a known-good corpus taught: its thresholds count, and its records are not judged."""
    calibrating: bool = False
    """Whether this audit is to teach a later one."""


@runtime_checkable
class Detector(Protocol):
    """Looks at a corpus as it streams by; made anew for each audit from a ``Context``.

    Must hold: findings do not depend on the order or the size of batches, and what is kept between batches is bounded by
    a sketch or by what was found. One that ``learns`` sees the whole corpus once before it examines it.
    """

    name: str
    summary: str
    blind: str
    """What a clean result does not rule out."""
    learns: bool

    def unusable(self) -> str | None:
        """Why it cannot run with this context, or None."""
        ...

    def learn(self, batch: Batch) -> None:
        """The first pass, for one that learns."""
        ...

    def examine(self, batch: Batch) -> Iterable[Finding]:
        """What can be told at once."""
        ...

    def finish(self) -> Iterable[Finding]:
        """What can only be told once every record was seen."""
        ...


@runtime_checkable
class Calibrated(Protocol):
    """A detector that learns what is usual in a corpus, and can be given what another one taught it."""

    def calibration(self) -> Mapping[str, Any]:
        """What was learned, as JSON has it; asked when every record was seen."""
        ...

    def carry(self, kept: Mapping[str, Any]) -> None:
        """Judge by what another corpus taught (see ``calibration``) from here on; called before any batch.

        Raises:
            DarnelError: it cannot be used here, and what to do.
            KeyError, TypeError, ValueError: it is not of this form.
        """
        ...


class Ref(NamedTuple):
    """What is kept of an entry that is told of later."""

    id: str
    source: str


class BaseDetector:
    """The defaults: no learning, nothing to tell at the end; a subclass looks at one entry at a time."""

    name: ClassVar[str]
    summary: ClassVar[str]
    blind: ClassVar[str]
    advice: ClassVar[str] = "Open the record, check who wrote it, and remove or restore it."
    learns: ClassVar[bool] = False
    alone: ClassVar[bool] = False
    """Whether it can tell something of a record without its corpus, as at ingest; see ``darnel.audit.screen``."""
    splits: ClassVar[bool] = False
    """Whether several of it may each look at a part of the corpus, in processes of their own, and be merged; see ``merge``."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def unusable(self) -> str | None:
        """See ``Detector.unusable``."""
        return None

    def learn(self, batch: Batch) -> None:
        """See ``Detector.learn``."""

    def examine(self, batch: Batch) -> Iterable[Finding]:
        """See ``Detector.examine``."""
        for entry in self.candidates(batch):
            yield from self.look(entry)

    def candidates(self, batch: Batch) -> Iterable[Entry]:
        """The records that are worth a look, told of the whole batch at once."""
        return batch.entries

    def look(self, entry: Entry) -> Iterable[Finding]:
        """Findings of one record."""
        return ()

    def finish(self) -> Iterable[Finding]:
        """See ``Detector.finish``."""
        return ()

    def merge(self, other: Self) -> None:
        """Take over what another of the same class has kept of its part of the corpus, for one that ``splits``."""

    def looks_again(self) -> bool:
        """For one that learns: whether it must examine the corpus at all, having learnt it."""
        return True

    def finding(
        self, entry: Entry | Ref, severity: Severity, score: float, why: str, spans: Iterable[Span] = ()
    ) -> Finding:
        """A finding of this detector, with the first few of its spans and the line that they begin in."""
        shown = tuple(sorted(spans, key=lambda s: (s.start, s.end, s.what))[:MOST_SPANS])
        line = 0
        if isinstance(entry, Entry) and shown:
            line = entry.text.count("\n", 0, shown[0].start) + 1 if shown[0].end else 0
            shown = tuple(in_context(span, entry.text) for span in shown)
        return Finding(entry.id, self.name, severity, round(score, 6), why, self.advice, shown, entry.source, line=line)


def keeps_something(detector: Detector) -> bool:
    """Whether it keeps anything between batches: one that only tells of each record at once does not."""
    finish: object = type(detector).finish
    return detector.learns or finish is not BaseDetector.finish
