"""Run detectors over readers, in one pass or two, and keep what was found whatever happens."""

from __future__ import annotations

import os
import platform
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from darnel.audit.accepted import Acceptance, Baseline, accepting
from darnel.audit.batch import Batch, check_installed
from darnel.audit.detector import Context, Detector
from darnel.audit.model import Finding, Severity
from darnel.audit.readers.base import Reader, ReadLog
from darnel.audit.registry import make_detectors
from darnel.audit.results import SCHEMA_VERSION, AuditResults, AuditRun, DetectorInfo, SourceInfo
from darnel.audit.running import Running
from darnel.audit.workers import Team
from darnel.core.errors import describe_error
from darnel.core.options import Progress
from darnel.core.version import darnel_version


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """Everything but the corpus. ``detectors``: names, or all. ``batch``: records a batch; ``jobs``: processes.

    ``baseline`` and ``accepted``: findings that are told, but do not count. ``counts``: whether a finding is on a record that
    is judged at all. ``done``: called with the detectors that ran to the end.
    """

    context: Context = field(default_factory=Context)
    detectors: Sequence[str] = ()
    fail_on: Severity = "high"
    allow_unreadable: bool = False
    baseline: Baseline | None = None
    accepted: Sequence[Acceptance] = ()
    batch: int = 1_000
    jobs: int = 1
    counts: Callable[[Finding], bool] = lambda _found: True
    done: Callable[[Sequence[Detector]], object] = lambda _detectors: None
    progress: Progress = lambda _what, _done, _total: None


def run_audit(readers: Sequence[Reader], options: AuditOptions) -> AuditResults:
    """Audit some sources together. An interruption (Ctrl-C) ends it early and keeps what was found.

    Raises:
        DarnelError: a package is not installed, or a detector cannot be made.
    """
    check_installed()
    started, clock, cpu = datetime.now(UTC), time.perf_counter(), _cpu()
    made = make_detectors(options.detectors, options.context)
    not_run = {d.name: reason for d in made if (reason := d.unusable())}
    running = [d for d in made if d.name not in not_run]
    state = Running()
    try:
        _passes(readers, running, options, state)
    except KeyboardInterrupt:
        state.interrupted = True
        state.errors.append("interrupted: only part of the corpus was looked at")
    except Exception as error:  # a store that fails halfway: what was found until then still counts
        state.errors.append(f"reading stopped: {describe_error(error)}")
    for detector in running:
        state.tell(detector, detector.finish)
    options.done([d for d in running if d.name not in state.broken])
    run = AuditRun(
        darnel_version(),
        platform.python_version(),
        started.isoformat(timespec="seconds"),
        round(time.perf_counter() - clock, 3),
        round(_cpu() - cpu, 3),
    )
    return _results(readers, made, not_run, options, state, run)


def _cpu() -> float:
    """CPU seconds of this process and of those it has waited for."""
    return sum(os.times()[:4])


def _passes(readers: Sequence[Reader], running: Sequence[Detector], options: AuditOptions, state: Running) -> None:
    """Learners see everything first; the others look in that same pass, so one that is interrupted has found something."""
    with Team(running, options.context, options.jobs) as team:
        try:
            _read(readers, options, state, "examining", lambda batch: team.look(batch, state))
        except KeyboardInterrupt:
            team.gather(state)
            raise
        team.gather(state)
    again = [d for d in running if d.learns and state.looks_again(d)]
    if again:
        _read(readers, options, state, "second pass", lambda batch: state.examine(again, batch))


def _read(
    readers: Sequence[Reader], options: AuditOptions, state: Running, what: str, use: Callable[[Batch], None]
) -> None:
    totals = [reader.total for reader in readers]
    total = None if None in totals else sum(t for t in totals if t is not None)
    done, began, before = 0, time.perf_counter(), dict(state.logs)
    for number, reader in enumerate(readers):
        log = state.logs[number] = ReadLog()
        for arrow in reader.batches(options.batch, log):
            batch = Batch(arrow, reader.name)
            log.read += len(batch)
            use(batch)
            done += len(batch)
            rate = done / max(1e-9, time.perf_counter() - began)
            options.progress(f"{what}, {rate:,.0f}/s", done, total or 0)
        earlier = before.get(number)
        if earlier is not None and earlier.counts != log.counts:
            state.errors.append(f"{reader.name} changed while it was read; audit it again when nothing writes to it")


def _ranked(findings: Sequence[Finding], read: int) -> list[Finding]:
    """Each with its rank: records that score as high or higher, as a share of those read; the worst first."""
    best: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for found in findings:
        key = (found.source, found.record)
        best[found.detector][key] = max(found.score, best[found.detector].get(key, found.score))
    scores = {name: sorted(of.values()) for name, of in best.items()}
    ranked = []
    for found in findings:
        own = scores[found.detector]
        rank = (len(own) - bisect_left(own, found.score)) / max(1, read)
        ranked.append(msgspec.structs.replace(found, rank=round(rank, 6)))
    return sorted(ranked, key=lambda f: f.order)


def _results(
    readers: Sequence[Reader],
    made: Sequence[Detector],
    not_run: dict[str, str],
    options: AuditOptions,
    state: Running,
    run: AuditRun,
) -> AuditResults:
    sources = [source_info(reader, state.logs.get(number, ReadLog())) for number, reader in enumerate(readers)]
    read = sum(s.read for s in sources)
    findings = _ranked([f for f in state.findings if options.counts(f)], read)
    counts = Counter(f.detector for f in findings)
    results = AuditResults(
        schema_version=SCHEMA_VERSION,
        run=run,
        sources=sources,
        detectors=[DetectorInfo(d.name, d.summary, d.blind, not_run.get(d.name, ""), counts[d.name]) for d in made],
        findings=findings,
        read=read,
        skipped=sum(s.skipped for s in sources),
        unreadable=sum(s.unreadable for s in sources),
        flagged=len({(f.source, f.record) for f in findings}),
        alert_budget=options.context.budget,
        fail_on=options.fail_on,
        interrupted=state.interrupted,
        errors=state.errors,
        exit_code=0,
    )
    results = accepting(results, options.baseline, options.accepted, datetime.now(UTC).date())
    return judged(results, allow_unreadable=options.allow_unreadable)


def judged(results: AuditResults, *, allow_unreadable: bool) -> AuditResults:
    """With its exit code: 2 where it was interrupted, something failed or nothing was read; 1 where findings reach
    ``fail_on``; else 2 where records could not be read, for what was not looked at is not clean; else 0.
    """
    if results.interrupted or results.errors or not results.read:
        code = 2
    elif results.at_least(results.fail_on):
        code = 1
    else:
        code = 2 if results.unreadable and not allow_unreadable else 0
    return msgspec.structs.replace(results, exit_code=code)


def source_info(reader: Reader, log: ReadLog) -> SourceInfo:
    """What was read of a source."""
    return SourceInfo(reader.name, reader.kind, log.read, log.skipped, log.unreadable, log.repaired, log.problems)
