"""A target from an unmodified application: planted in the store that it reads, asked as its users ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from darnel.adapters.apps.asker import AppAsker
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.output import read_output
from darnel.adapters.llamaindex.apps.capture import Watch
from darnel.adapters.llamaindex.apps.checks import app_checks, stale
from darnel.adapters.llamaindex.apps.driving import driver, expects_model, one_at_a_time
from darnel.adapters.llamaindex.apps.find import FoundStore, store_objects
from darnel.adapters.llamaindex.apps.reading import sources_of
from darnel.adapters.llamaindex.apps.trace import Trace
from darnel.core.corpus import Check, CorpusInjector, Reply, Source, Target

ADVICE = (
    "it may search in another process or through a client of its own, where nothing can be watched: return the sources "
    "from a function and test that, or search the store itself"
)
STRAY = "a search ran in a thread of the application's own; questions are asked one at a time, so that it is known whose it was"
UNSEEN_MODEL = (
    "the application answered although no model of LlamaIndex's was to be called with what it retrieved; if it calls one by "
    "other means, that cannot be stopped before it"
)


class WatchedApp(AppAsker):
    """An application that is asked under watch.

    Args:
        app: the application's object.
        options: the user's.
        injector: the corpus.
        stores: the application's vector store objects, whose searches are watched.
        closed: why it cannot see a new document, if so.
    """

    def __init__(
        self, app: Any, options: AppOptions, injector: CorpusInjector, *, stores: Sequence[Any], closed: str | None
    ) -> None:
        super().__init__(self._ask, options, injector, closed=lambda: closed, advice=ADVICE)
        self._drive, self._options = driver(app), options
        self._model = expects_model(app)
        if one_at_a_time(app):
            self.pace.jobs = 1
        self._watch = Watch(stores, self._stray)

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``."""
        with self._watch.held():
            return super().retrieve(queries, k)

    def _stray(self) -> None:
        self.pace.jobs = 1
        self.remark(STRAY)

    def _ask(self, question: str) -> Reply:
        trace = Trace(question, stop=not self._options.answers, allow_model=self._options.allow_model)
        output: Any = None
        with self._watch.question(trace):
            try:
                output = self._drive(question, trace)
            except BaseException:
                if not trace.stopped.is_set():
                    raise
        reply = _reply(trace, output, model=self._model)
        if trace.stop and reply.answer and reply.delivered and not trace.stopped.is_set():
            self.remark(UNSEEN_MODEL)
        return reply


def _reply(trace: Trace, output: Any, *, model: bool) -> Reply:
    if error := trace.refused or "; ".join(dict.fromkeys(trace.errors)):
        return Reply(error=error)
    answer, listed = (None, None) if trace.stopped.is_set() else _output(output)
    searched = bool(trace.searches)
    delivered = listed if listed is not None else tuple(trace.passed.values()) if searched else None
    prompt = "\n\n".join(trace.prompts) if trace.prompts else None
    if prompt is None and model and searched and not delivered:
        prompt = ""  # nothing was left for a model to see
    return Reply(trace.sources(), delivered, prompt, answer, steps=tuple(trace.steps), searched=searched)


def _output(output: Any) -> tuple[str | None, tuple[Source, ...] | None]:
    """The answer and the sources that an application returned."""
    if hasattr(output, "source_nodes"):  # a response of LlamaIndex's
        return str(output), sources_of(output.source_nodes)
    if type(output).__module__.startswith("llama_index."):  # an agent's output, which lists no sources
        return str(output), None
    return read_output(output)


def app_target(base: Target, app: Any, found: FoundStore | None, *, name: str, options: AppOptions) -> Target:
    """The target of an application.

    Args:
        base: the target of the store that is planted into.
        app: the application's object.
        found: that store as it was found in the application; None where it was handed over.
        name: how the application is called in paths.
        options: how to ask.
    """
    closed = stale(found) if found else None
    asker = WatchedApp(app, options, base.injector, stores=store_objects(app, name), closed=closed)

    def checks() -> Iterator[Check]:
        yield from base.checks()
        yield from app_checks(app, name, found)

    return replace(
        base,
        retriever=asker,
        store_search=False,
        checks=checks,
        k=found.retrievers[0][1].similarity_top_k if found and found.retrievers else None,
        app=f"{type(app).__name__} {name}",
    )
