"""The Python entry: ``darnel.run(target, queries=...)``, and opening targets for everything else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.recognise import target_from_object
from darnel.adapters.registry import known_adapters, load_opener, takes_apps
from darnel.adapters.spec import check_host, parse_spec
from darnel.core.corpus import Target
from darnel.core.errors import HostNotAllowedError, QueryFileError, UsageError
from darnel.core.options import Progress, RunOptions
from darnel.core.pattern import Dose, Pattern
from darnel.core.payload import Payload
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query, find_qrels, load_queries, make_queries
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder
from darnel.patterns.registry import parse_doses

if TYPE_CHECKING:
    from darnel.audit.accepted import Acceptance
    from darnel.audit.detector import Context
    from darnel.audit.model import Severity
    from darnel.audit.readers.base import Reader
    from darnel.audit.results import AuditResults

OWN = "own"
"""The store's own search."""


def open_target(
    target: Any,
    *,
    embedder: object = None,
    allow_hosts: Collection[str] = (),
    writes: bool = True,
    app: AppOptions = DEFAULT_APP,
    retriever: str = OWN,
    into: Any = None,
) -> Target:
    """Open a target spec, or take an object of the application's.

    Args:
        target: ``"chroma:./db#docs"`` and the like, a Chroma collection, ``(qdrant_client, "docs")``, a LangChain vector
            store or ``VectorStoreRetriever``, a LlamaIndex index, retriever or vector store, a ``MemoryCorpus``, a
            ``Target``, anything that satisfies the protocols, or, with ``into``, a function that takes a question.
        embedder: the application's: a spec, or an embedding object of LangChain, LlamaIndex, Chroma or a function.
        allow_hosts: hosts other than this machine that may be written to.
        writes: whether it is opened to write; a target opened only to read takes no lock and asks no permission.
        app: how to ask, where the target is an application.
        retriever: who answers: ``own``, the store itself; or another one over the same records, or defences around one
            (``bm25``, ``hybrid``, ``own+trust``; see ``darnel.retrievers.registry``).
        into: where to plant, for an application whose store darnel cannot find itself; anything that may be a target.

    Raises:
        DarnelError: with what to do.
    """
    resolved = None if embedder is None else resolve_embedder(embedder)
    into = app.into if into is None else into
    if into is None:
        opened = _open(target, resolved, allow_hosts, writes, app)
    else:
        opened = _open_apart(target, resolved, allow_hosts, writes, replace(app, into=into))
    if retriever == OWN:
        return opened
    from darnel.retrievers.registry import with_retriever

    try:
        return with_retriever(opened, retriever, resolved)
    except BaseException:
        opened.close()
        raise


def _open_apart(
    target: Any, resolved: Embedder | None, allow_hosts: Collection[str], writes: bool, app: AppOptions
) -> Target:
    """An application, and apart from it the store to plant into."""
    if isinstance(target, str) and not takes_apps((spec := parse_spec(target)).adapter):
        raise UsageError(f"a target of the {spec.adapter} adapter is planted into itself; leave --into away")
    store = _open(app.into, resolved, allow_hosts, writes, replace(app, into=None))
    try:
        opened = _open(target, resolved, allow_hosts, writes, replace(app, into=store))
        if opened.injector is not store.injector:
            raise UsageError("this target is planted into the store found in it; leave --into away")
    except BaseException:
        store.close()
        raise
    return opened


def _open(
    target: Any, resolved: Embedder | None, allow_hosts: Collection[str], writes: bool, app: AppOptions
) -> Target:
    if not isinstance(target, str):
        opened = target_from_object(target, resolved, app)
    else:
        spec = parse_spec(target)
        opener = load_opener(spec.adapter)
        if writes or takes_apps(spec.adapter):  # an application that is asked may keep what it is asked
            spec.check_host(allow_hosts)
        settings: dict[str, Any] = {"app": app} if takes_apps(spec.adapter) else {}
        opened = opener(spec, resolved, exclusive=writes, **settings)
    if writes:
        try:
            check_host(opened.host, allow_hosts)  # where only the opened object knows it
        except HostNotAllowedError:
            opened.close()
            raise
    return opened


def read_queries(
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]], qrels: Iterable[Path] = ()
) -> list[Query]:
    """Queries from a file (BEIR, JSONL, CSV or plain text) or from Python.

    ``qrels``: BEIR judgments; for a file, those in ``qrels/`` beside it where none are given.

    Raises:
        QueryFileError: names the file and line.
    """
    if isinstance(queries, str | os.PathLike):
        path = Path(queries)
        try:
            with path.open(encoding="utf-8", errors="surrogateescape", newline="") as lines:
                return load_queries(lines, str(path), list(qrels) or find_qrels(path))
        except OSError as error:
            raise QueryFileError(f"cannot read the queries {path}: {error.strerror}") from None
    return make_queries(queries)


def run(
    target: Any,
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]],
    patterns: Iterable[str | Pattern | Dose] = (),
    *,
    payloads: Iterable[str | Payload] = (),
    k: int | None = None,
    embedder: object = None,
    ledger: str | os.PathLike[str] | Ledger | None = None,
    options: RunOptions | None = None,
    allow_hosts: Collection[str] = (),
    app: AppOptions = DEFAULT_APP,
    retriever: str = OWN,
    into: Any = None,
) -> Results:
    """Run mode A: plant → ask → verify → score → remove → prove.

    Args:
        target: see ``open_target``.
        queries: a query file, or queries.
        patterns: names such as ``"echo:3"``, or patterns of your own; all built-in ones where none is given. The two
            controls always run.
        payloads: what plants say in the place of the carrier, each pattern with each of them: names such as
            ``"authority"``, or payloads of your own.
        k: how many sources the application reads (by default what its retriever says, else 5).
        embedder: see ``open_target``.
        ledger: the journal; ``$DARNEL_LEDGER`` or ``.darnel/ledger.db`` by default.
        options: everything else.
        allow_hosts: see ``open_target``.
        app: how to ask, where the target is an application.
        retriever: see ``open_target``.
        into: see ``open_target``.

    Raises:
        DarnelError: what cannot be tested, and what to do; nothing is left behind.
    """
    chosen = options or RunOptions()
    chosen = chosen if k is None else replace(chosen, k=k)
    asked, doses = read_queries(queries), parse_doses(patterns, payloads=payloads)
    with ExitStack() as stack:
        opened = open_target(
            target, embedder=embedder, allow_hosts=allow_hosts, app=app, retriever=retriever, into=into
        )
        stack.callback(opened.close)
        if k is None and options is None and opened.k is not None:
            chosen = replace(chosen, k=opened.k)
        journal = ledger if isinstance(ledger, Ledger) else stack.enter_context(Ledger(ledger))
        return run_mode_a(opened, asked, doses, chosen, journal)


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
