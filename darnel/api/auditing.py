"""The Python entry of ``darnel audit``: ``audit_corpus(sources, ...)``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from darnel.adapters.registry import known_adapters
from darnel.api import open_target, read_queries
from darnel.core.corpus import Target
from darnel.core.options import Progress
from darnel.core.queries import Query
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder

if TYPE_CHECKING:
    from darnel.audit.accepted import Acceptance
    from darnel.audit.detector import Context
    from darnel.audit.model import Severity
    from darnel.audit.readers.base import Reader
    from darnel.audit.results import AuditResults


def audit_corpus(
    sources: Iterable[Any],
    *,
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]] | None = None,
    embedder: object = None,
    detectors: Iterable[str] = (),
    alert_budget: float = 0.005,
    fail_on: Severity = "high",
    allow_unreadable: bool = False,
    baseline: str | os.PathLike[str] | None = None,
    accepted: Iterable[Acceptance] = (),
    jobs: int = 1,
    calibrate: str | os.PathLike[str] | None = None,
    since: str | os.PathLike[str] | None = None,
    new: Iterable[Any] = (),
    progress: Progress = lambda _what, _done, _total: None,
) -> AuditResults:
    """Look for what should not be in a corpus; nothing is written to it. See ``docs/audit.md``.

    Args:
        sources: files, folders, target specs and objects (see ``open_target``), audited together as one corpus.
        queries: the questions that users ask, for the echo detector.
        embedder: the application's, for the re-encode check.
        detectors: names; all that can run where none is given.
        alert_budget: the share of clean records that statistical detectors may flag.
        fail_on: the severity from which a finding makes the exit code 1.
        allow_unreadable: whether records that cannot be read leave the exit code 0.
        baseline: an earlier findings document; what it has too is told, and does not count.
        accepted: findings that are accepted for a time; they are told, and do not count.
        jobs: processes; with more than one, a script needs ``if __name__ == "__main__"`` around its call.
        calibrate: where to write a profile of this corpus, which is held to be good.
        since: a profile; only records that it does not know are judged, by its thresholds.
        new: sources whose records are judged beside ``sources``, which are held to be good.
        progress: called with what is done, how many records, and of how many (0: not known).

    Raises:
        DarnelError: a source, an embedder, the profile or the baseline cannot be opened, and what to do.
    """
    from darnel.audit.accepted import Baseline
    from darnel.audit.batch import check_installed
    from darnel.audit.engine import AuditOptions
    from darnel.audit.results import load_findings
    from darnel.audit.since import Learning, audit_learning

    check_installed()
    before = None
    if baseline is not None:
        document = load_findings(Path(baseline))
        before = Baseline(str(baseline), [*document.findings, *document.known])
    resolved = None if embedder is None else resolve_embedder(embedder)
    options = AuditOptions(
        audit_context(queries, resolved, alert_budget),
        *(tuple(detectors), fail_on, allow_unreadable, before, tuple(accepted)),
        jobs=jobs,
        progress=progress,
    )
    learning = Learning(*(None if path is None else Path(path) for path in (calibrate, since)))
    with ExitStack() as stack:
        opened, added = (audit_sources(given, resolved, stack) for given in (sources, new))
        return audit_learning(opened, added, options, learning)


def audit_context(queries: Any, resolved: Embedder | None, budget: float) -> Context:
    """What detectors may use besides the corpus."""
    from darnel.audit.detector import Context

    asked = [] if queries is None else read_queries(queries)
    if resolved is None:
        return Context(asked, budget=budget)
    return Context(asked, resolved.documents, budget, resolved.queries)


def audit_sources(sources: Iterable[Any], resolved: Embedder | None, stack: ExitStack) -> list[Reader | Target]:
    """Readers of files, and targets opened to be read only, which the stack closes."""
    from darnel.audit.readers.files import open_file

    opened: list[Reader | Target] = []
    for source in sources:
        if not _is_target(source):
            opened.append(open_file(Path(source)))
            continue
        target = open_target(source, embedder=resolved, writes=False)
        stack.callback(target.close)
        opened.append(target)
    return opened


def _is_target(source: Any) -> bool:
    """A spec such as ``chroma:./db#docs``, or an object; a path that exists is a path, whatever it looks like."""
    if isinstance(source, os.PathLike):
        return False
    if not isinstance(source, str):
        return True
    return not Path(source).exists() and source.partition(":")[0] in known_adapters()
