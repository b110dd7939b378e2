"""Audits that learn from one corpus and judge what another one has besides."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from darnel.audit.batch import record_hash
from darnel.audit.detector import Calibrated, Detector
from darnel.audit.engine import AuditOptions, judged, run_audit, source_info
from darnel.audit.live import Run, digests_around
from darnel.audit.model import Finding
from darnel.audit.profile import Profile, Settings, hash_of_questions, load_profile
from darnel.audit.readers.base import Reader, ReadLog
from darnel.audit.registry import make_detectors
from darnel.audit.results import AuditResults
from darnel.core.corpus import Target
from darnel.core.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa


class Watched:
    """A reader that keeps 8 bytes a record: the hash of each, or of the place of each that a profile does not know."""

    def __init__(self, reader: Reader, profile: Profile | None = None) -> None:
        self._reader, self._profile = reader, profile
        self.name, self.kind, self.total = reader.name, reader.kind, reader.total
        self.kept = array("Q")

    def batches(self, size: int, log: ReadLog) -> Iterator[pa.RecordBatch]:
        """See ``Reader.batches``."""
        self.kept = array("Q")
        for batch in self._reader.batches(size, log):
            ids, texts, metadata = (batch.column(name).to_pylist() for name in ("id", "text", "metadata"))
            hashes = [record_hash(*row) for row in zip(ids, texts, metadata, strict=True)]
            if self._profile is None:
                self.kept.extend(hashes)
            else:
                known = self._profile.knows(hashes)
                self.kept.extend(_place(self.name, i) for i, mark in zip(ids, known, strict=True) if not mark)
            yield batch


def _place(source: str, record: str) -> int:
    return record_hash(source, record, "")


def run_since(readers: Sequence[Reader], options: AuditOptions, profile: Profile) -> AuditResults:
    """Audit what the profile does not know, by its thresholds; what it knows is read, and not judged."""
    watched = [Watched(reader, profile) for reader in readers]
    places: set[int] = set()

    def counts(found: Finding) -> bool:
        if not places:
            places.update(*(w.kept for w in watched))
        return _place(found.source, found.record) in places

    context = replace(options.context, profile=profile)
    results = run_audit(watched, replace(options, context=context, counts=counts))
    return msgspec.structs.replace(results, judged=sum(len(w.kept) for w in watched))


def run_calibration(readers: Sequence[Reader], options: AuditOptions) -> tuple[AuditResults, Profile | None]:
    """Audit a corpus that is held to be good, and keep what it taught; no profile where not all of it was looked at."""
    watched = [Watched(reader) for reader in readers]
    ran: list[Detector] = []
    context = replace(options.context, calibrating=True)
    results = run_audit(watched, replace(options, context=context, done=ran.extend))
    if results.interrupted or results.errors or not results.read:
        return results, None
    asked = hash_of_questions(q.text for q in options.context.queries)
    settings = Settings(asked, options.context.budget)
    return results, Profile.of(ran, [h for w in watched for h in w.kept], settings)


def run_new(known: Sequence[Reader], new: Sequence[Reader], options: AuditOptions) -> AuditResults:
    """Learn from known-good sources, then judge the records of others beside them.

    Raises:
        UsageError: a source is given as both.
    """
    both = {r.name for r in known} & {r.name for r in new}
    if both:
        raise UsageError(f"{min(both)} is given as known and as new; give it once")
    learners = [d.name for d in make_detectors(options.detectors, options.context) if isinstance(d, Calibrated)]
    results, profile = run_calibration(known, replace(options, detectors=learners or options.detectors))
    if profile is not None:
        return run_since([*known, *new], options, profile)
    unread = [source_info(reader, ReadLog()) for reader in new]
    errors = [*results.errors, "the known-good sources were not learned, so nothing was judged"]
    found = msgspec.structs.replace(results, sources=[*results.sources, *unread], errors=errors, findings=[], judged=0)
    return judged(found, allow_unreadable=options.allow_unreadable)


@dataclass(frozen=True, slots=True)
class Learning:
    """Where to write a profile, and which one to judge by; one of the two at most."""

    calibrate: Path | None = None
    since: Path | None = None


def audit_learning(
    sources: Sequence[Reader | Target], new: Sequence[Reader | Target], options: AuditOptions, learning: Learning
) -> AuditResults:
    """Audit sources as they are, or by what a profile or they themselves teach, with their digests taken around it.

    Raises:
        UsageError: more than one way of learning is asked for, or a profile cannot be read or written.
    """
    if sum(map(bool, (learning.calibrate, learning.since, new))) > 1:
        raise UsageError(
            "give --calibrate, --since or --new, not several; --since takes the profile that --calibrate wrote"
        )
    made: list[Profile | None] = []
    run: Run = run_audit
    if learning.since is not None:
        run = partial(run_since, profile=load_profile(learning.since))
    elif new:
        run = partial(_run_parted, len(sources))
    elif learning.calibrate is not None:

        def run(readers: Sequence[Reader], options: AuditOptions) -> AuditResults:
            results, profile = run_calibration(readers, options)
            made.append(profile)
            return results

    results = digests_around([*sources, *new], options, run)
    if learning.calibrate is None:
        return results
    if made[0] is not None and not results.errors:
        made[0].save(learning.calibrate)
        return results
    errors = [*results.errors, f"no profile was written to {learning.calibrate}: not all of the corpus was looked at"]
    return judged(msgspec.structs.replace(results, errors=errors), allow_unreadable=options.allow_unreadable)


def _run_parted(known: int, readers: Sequence[Reader], options: AuditOptions) -> AuditResults:
    return run_new(readers[:known], readers[known:], options)
