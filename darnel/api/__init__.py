"""The Python entry: ``darnel.run(target, queries=...)``, and opening targets for everything else."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from darnel.adapters.apps.options import DEFAULT_APP, AppOptions
from darnel.adapters.recognise import target_from_object
from darnel.adapters.registry import load_opener, takes_apps
from darnel.adapters.spec import check_host, parse_spec
from darnel.core.corpus import Target
from darnel.core.errors import HostNotAllowedError, QueryFileError, UsageError
from darnel.core.handing.honest import passages_for
from darnel.core.handing.results import HandedResults
from darnel.core.handing.run import HandingOptions, run_mode_b
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose, Pattern
from darnel.core.payload import Payload
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query, find_qrels, load_queries, make_queries
from darnel.core.results import Results
from darnel.core.running.runner import run_mode_a
from darnel.embedders.base import Embedder
from darnel.embedders.resolve import resolve_embedder
from darnel.patterns.payloads.registry import parse_payloads
from darnel.patterns.registry import parse_doses

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


def run_context(
    app: Any,
    queries: str | os.PathLike[str] | Iterable[str | Query | Mapping[str, Any]],
    payloads: Iterable[str | Payload] = ("all",),
    *,
    corpus: Any = None,
    k: int = 5,
    embedder: object = None,
    options: HandingOptions | None = None,
    asking: AppOptions = DEFAULT_APP,
    allow_hosts: Collection[str] = (),
) -> HandedResults:
    """Run mode B: hand each payload straight to an application that takes passages, first in the list. Nothing is planted.

    Args:
        app: a function of question and passages, a LangChain runnable, a LlamaIndex synthesizer, a spec or a URL.
        queries: a query file, or queries.
        payloads: names such as ``"authority"``, ``"all"``, or payloads of your own.
        corpus: a target that is searched for the ``k`` - 1 passages that stand behind the payload's; it is only read.
        k: passages handed over with each question, the payload's own parts counted as one.
        embedder: the corpus's.
        options: everything else.
        asking: how the application is asked.
        allow_hosts: hosts other than this machine that may be asked.

    Raises:
        DarnelError: what cannot be tested, and what to do.
    """
    from darnel.adapters.handing.open import open_handed

    if k < 1:
        raise UsageError(f"k must be 1 or more, not {k}: the payload's own passage is one of them")
    chosen, asked, said = options or HandingOptions(), read_queries(queries), parse_payloads(payloads)
    with ExitStack() as stack:
        handed = open_handed(app, asking, allow_hosts)
        stack.callback(handed.close)
        if corpus is not None:
            store = open_target(corpus, embedder=embedder, writes=False)
            stack.callback(store.close)
            chosen = replace(chosen, honest=passages_for(store, asked, k - 1), corpus=store.spec or "an object")
        return run_mode_b(handed, asked, said, chosen)
