"""Watch one question on its way through a LangChain application, by its callbacks.

The application's runs are told apart by the handler that saw them: each question has one of its own, which goes along as
a callback and in a context variable, for runnables that are called without their caller's configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, TypeVar, cast
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.prompt_values import PromptValue

from darnel.adapters.langchain.apps.stop import IN_PARTS, Stop, holds_any, message_text, why_needed
from darnel.adapters.langchain.apps.trail import Run, Trail, documents_in, retrieving
from darnel.core.errors import describe_error

F = TypeVar("F", bound=Callable[..., Any])

current: ContextVar[Capture | None] = ContextVar("darnel_capture", default=None)
"""The question that this context works on."""


@cache
def hook_in() -> None:
    """Let LangChain add the context's capture to every run; once in a process, and without effect while none is set."""
    from langchain_core.tracers.context import register_configure_hook

    register_configure_hook(current, inheritable=True)


@dataclass(frozen=True)
class Prompt:
    """What a model was, or would have been, shown."""

    text: str
    after_search: bool
    holds: bool
    in_retriever: bool


def _guarded(method: F) -> F:
    """LangChain swallows what a handler raises; it has to be known all the same."""

    @wraps(method)
    def call(self: Capture, *args: Any, **kwargs: Any) -> None:
        try:
            with self.lock:
                method(self, *args, **kwargs)
        except Exception as error:
            self.fault = f"capture failed in {method.__name__}: {describe_error(error)}"

    return cast(F, call)


class Capture(Trail, BaseCallbackHandler):
    """What is seen of one question, and whether the model may be called.

    ``prompts``: what models were shown. ``formatted``: prompts that a template made, of which the one that stops the run
    is only the first. ``refused``: why it was stopped too early. ``fault``: what went wrong in watching.
    """

    run_inline = True

    def __init__(self, question: str, *, answers: bool, allow_model: bool) -> None:
        super().__init__()
        self.question, self.answers, self.allow_model = question, answers, allow_model
        self._lent: set[UUID] = set()
        self.prompts: list[Prompt] = []
        self.formatted: list[str] = []
        self.stopped = self.in_parts = False
        self.refused = self.fault = ""

    @_guarded
    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """See ``BaseCallbackHandler``."""
        self.retriever_starts(run_id, _name(serialized, kwargs, "retriever"), parent_run_id)
        if (
            current.get() is not self
        ):  # a thread that was given the callbacks and no context; its pool will use it again
            self._lent.add(run_id)
            current.set(self)

    @_guarded
    def on_retriever_end(self, documents: Sequence[Document], *, run_id: UUID, **kwargs: Any) -> None:
        """See ``BaseCallbackHandler``."""
        self._take_back(run_id)
        self.retriever_ends(run_id, documents)

    @_guarded
    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """See ``BaseCallbackHandler``."""
        self._take_back(run_id)
        self.runs[run_id].ended = True

    def _take_back(self, run_id: UUID) -> None:
        if run_id in self._lent and current.get() is self:
            current.set(None)

    @_guarded
    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """See ``BaseCallbackHandler``."""
        run = Run(_name(serialized, kwargs, "chain"), parent_run_id, given=documents_in(inputs))
        self.runs[run_id] = run
        self.in_parts = self.in_parts or run.name in IN_PARTS

    @_guarded
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """See ``BaseCallbackHandler``."""
        run = self.runs.get(run_id)
        if isinstance(outputs, PromptValue) and (run is None or self.outside(run) is None):
            self.formatted.append(message_text(outputs.to_messages()))
        elif run is not None:
            self.passed_on(run, outputs)

    @_guarded
    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """See ``BaseCallbackHandler``."""
        self.runs[run_id] = Run(_name(serialized, kwargs, "tool"), parent_run_id)

    @_guarded
    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """See ``BaseCallbackHandler``.

        Raises:
            Stop: the model must not be called.
        """
        for each in messages:
            self._model(message_text(each), parent_run_id, _name(serialized, kwargs, "model"))

    @_guarded
    def on_llm_start(self, serialized: Any, prompts: Any, *, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        """See ``on_chat_model_start``."""
        for prompt in prompts:
            self._model(prompt, parent_run_id, _name(serialized, kwargs, "model"))

    def _model(self, text: str, parent: UUID | None, model: str) -> None:
        inside = (self.at_work(parent) or self.at_work(retrieving.get())) is not None
        seen = self.seen()
        holds = holds_any(text, seen, self.question)
        nothing_left = bool(self.searches) and not any(self.reached)
        self.prompts.append(Prompt(text, bool(self.searches), holds, inside))
        if self.answers:
            return
        if self.stopped or self.refused:
            raise Stop
        if not inside and (holds or nothing_left):
            self.stopped = True
            raise Stop
        if not self.allow_model:
            self.refused = why_needed(self.component(parent), model, seen)
            raise Stop


def _name(serialized: Any, given: Any, usual: str) -> str:
    return str(given.get("name") or (serialized or {}).get("name") or usual)
