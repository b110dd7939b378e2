"""What the detectors would find of the pattern library on a corpus: ``self_test(sources, ...)``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.api.auditing import audit_context, audit_sources
from darnel.audit.batch import check_installed
from darnel.audit.engine import AuditOptions
from darnel.audit.live import digests_around
from darnel.audit.readers.base import Reader
from darnel.audit.results import AuditResults
from darnel.audit.selftest.measure import Tried, audit_sample, measure
from darnel.audit.selftest.results import SelfTest
from darnel.core.options import Progress
from darnel.core.pattern import Dose, Pattern
from darnel.core.queries import Query
from darnel.embedders.resolve import resolve_embedder
from darnel.patterns.registry import parse_doses


def self_test(
    sources: Iterable[Any],
    *,
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]] | None = None,
    embedder: object = None,
    patterns: Iterable[str | Pattern | Dose] = ("all",),
    detectors: Iterable[str] = (),
    alert_budget: float = 0.005,
    progress: Progress = lambda _what, _done, _total: None,
) -> SelfTest:
    """How much of what ``patterns`` plant the detectors find on this corpus.

    Patterns are planted into a copy of a sample, in memory; the corpus is only read. Arguments as of ``audit_corpus``.

    Raises:
        DarnelError: a source, a pattern or an embedder cannot be opened, and what to do.
    """
    check_installed()
    doses = parse_doses(patterns, controls=False)
    resolved = None if embedder is None else resolve_embedder(embedder)
    options = AuditOptions(audit_context(queries, resolved, alert_budget), tuple(detectors), progress=progress)
    tried: list[Tried] = []

    def run(readers: Sequence[Reader], options: AuditOptions) -> AuditResults:
        tried.append(audit_sample(readers, options))
        return tried[0].clean

    with ExitStack() as stack:
        clean = digests_around(audit_sources(sources, resolved, stack), options, run)
    copy = MemoryCorpus(tried[0].sample)

    def search(questions: Sequence[str], count: int) -> list[list[str]]:
        return [[source.text or "" for source in reply.sources] for reply in copy.retrieve(questions, count)]

    return measure(replace(tried[0], clean=clean), doses, search)
