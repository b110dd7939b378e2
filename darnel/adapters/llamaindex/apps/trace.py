"""What was seen while one question was under way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import zip_longest

from darnel.adapters.llamaindex.apps.span import Span, inside, name_of, retriever_around
from darnel.adapters.llamaindex.apps.stop import stop_for
from darnel.core.corpus import Source, Step

SNIPPET = 60
"""Characters of a retrieved text by which it is recognised in a prompt, at its start, middle and end."""
SHORTEST = 4
"""Characters below which a text says nothing."""


@dataclass(eq=False)
class Trace:
    """One question. ``stop``: end it before the model that would see what was retrieved. ``allow_model``: let models be
    called before that.

    ``passed``: what the components let through so far. ``prompts``: what models were given after a search.
    ``refused``: why the question was ended with nothing to show. ``errors``: what went wrong in the watching itself.
    """

    question: str
    stop: bool
    allow_model: bool
    spans: dict[str, Span] = field(default_factory=dict)
    searches: list[tuple[Source, ...]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    passed: dict[str, Source] = field(default_factory=dict)
    prompts: list[str] = field(default_factory=list)
    snippets: set[str] = field(default_factory=set)
    refused: str | None = None
    errors: list[str] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    finished: bool = False
    thread: int = field(default_factory=threading.get_ident)
    on_stop: list[Callable[[], object]] = field(default_factory=list)

    def sources(self) -> tuple[Source, ...]:
        """What all searches returned: in turns from each, best first, each record once."""
        merged: dict[str, Source] = {}
        for rank in zip_longest(*self.searches):
            for source in rank:
                if source is not None:
                    merged.setdefault(_key(source), source)
        return tuple(merged.values())

    def store_searched(self, within: Span | None, found: tuple[Source, ...]) -> None:
        """The store itself was searched; within a retriever, what that returns decides what to make of it."""
        around = retriever_around(within)
        if around is not None:
            around.found.append(found)
            self._remember(found)
        else:
            self._searched(found)
            self.passed.update((_key(s), s) for s in found)

    def retriever_ended(self, span: Span, nodes: tuple[Source, ...]) -> None:
        """A retriever returned: a search's result if it is a leaf, and a step if it made more of others' results."""
        name = type(span.instance).__name__
        searched = {s.id for found in span.found for s in found}
        if span.found and (span.inner or searched != {s.id for s in nodes}):
            texts = {s.id: s for s in nodes}
            for found in span.found:
                self._searched(tuple(s if s.text is not None else texts.get(s.id, s) for s in found))
            self.steps.append(Step(name, nodes))
        elif span.inner:
            self.steps.append(Step(name, nodes))
        else:
            self._searched(nodes)
        self._remember(nodes)
        if inside(span.parent) is None:
            self.passed.update((_key(s), s) for s in nodes)

    def postprocessor_ended(self, span: Span, given: Sequence[Source], nodes: tuple[Source, ...]) -> None:
        """A postprocessor passed on ``nodes`` of those that it was given."""
        self.steps.append(Step(type(span.instance).__name__, nodes))
        self._remember(nodes)
        if inside(span.parent) is None:
            for source in given:
                self.passed.pop(_key(source), None)
            self.passed.update((_key(s), s) for s in nodes)

    def model_called(self, within: Span | None, prompt: str) -> None:
        """A model is about to be called.

        Raises:
            StopAsking: it would see what was retrieved, or it may not be called.
            StopInTask: the same.
        """
        if self.stopped.is_set() or (self.stop and self.errors):  # nothing that follows would count
            self.end()
        component = inside(within)
        reads = component is None and bool(self.searches)
        if reads and (not self.stop or not self.passed or self._shows(prompt)):
            if prompt not in self.prompts[-1:]:  # a model's asynchronous call may be made of its plain one
                self.prompts.append(prompt)
            if self.stop:
                self.end()
        elif self.stop and not self.allow_model:
            when = "again" if self.searches else "before anything is retrieved"
            self.refused = f"{name_of(component or within)} calls a model {when}; add --allow-model to let it"
            self.end()

    def end(self) -> None:
        """End the question; raises what model_called does."""
        self.stopped.set()
        for call in self.on_stop:
            call()
        raise stop_for(self.thread)

    def _searched(self, found: tuple[Source, ...]) -> None:
        self.searches.append(found)
        self._remember(found)

    def _remember(self, sources: Sequence[Source]) -> None:
        if not self.stop:
            return  # every prompt is kept then
        asked = _plain(self.question)
        for text in (_plain(s.text or "") for s in sources):
            middle = max(0, len(text) // 2 - SNIPPET // 2)
            parts = {text[:SNIPPET], text[middle : middle + SNIPPET], text[-SNIPPET:]}
            self.snippets.update({p for p in parts if p not in asked} or parts)

    def _shows(self, prompt: str) -> bool:
        plain = _plain(prompt)
        return any(len(snippet) >= SHORTEST and snippet in plain for snippet in self.snippets)


QUESTION: ContextVar[Trace | None] = ContextVar("darnel_llamaindex_question", default=None)
"""The question that the code at hand works on; LlamaIndex carries it into its tasks and threads."""


def _key(source: Source) -> str:
    return source.id or source.text or ""


def _plain(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split())
