"""Ask a LangChain application and say what was seen."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from darnel.adapters.apps.asker import AppAsker
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.langchain.apps.capture import Capture, current, hook_in
from darnel.adapters.langchain.apps.driving import Driver
from darnel.adapters.langchain.apps.guard import find_models, guard
from darnel.adapters.langchain.apps.memory import Histories
from darnel.adapters.langchain.apps.reply import make_reply
from darnel.adapters.langchain.apps.shapes import Shape
from darnel.adapters.langchain.apps.spy import watch
from darnel.adapters.langchain.apps.stop import Stop
from darnel.adapters.langchain.corpus import LangChainCorpus
from darnel.core.corpus import CorpusInjector, Reply
from darnel.core.errors import TargetError, describe_error

ADVICE = (
    "it may search in a process or a server of its own, or another store: test it over HTTP with --into TARGET, which names "
    "the store that it reads"
)
THREAD_NOTE = (
    "the application searches in threads of its own, where its questions cannot be told apart, so it was asked one question "
    "at a time"
)
FILTERS = ("filter", "where", "where_document", "pre_filter", "expr", "namespace")
"""How searches of vector stores call what keeps records out."""
FILTER_NOTE = (
    "the application searches with {narrowing}, which only showed while it was asked; where plants lack what that asks for, "
    "give it to them with --metadata KEY=VALUE"
)
MODEL_NOTE = "the application calls its model in a thread of its own, where it cannot be stopped; use --answers"


class LangChainAsker(AppAsker):
    """Asks an application question by question, watching the stores that were found in it.

    Args:
        app: a runnable, or a function of one argument.
        options: how to ask.
        injector: the corpus of the store.
        stores: the objects through which the application reaches it.
        histories: what the application remembers of its conversations.
    """

    def __init__(
        self, app: Any, options: AppOptions, injector: CorpusInjector, stores: Sequence[Any], histories: Histories
    ) -> None:
        super().__init__(self._answer, options, injector, advice=ADVICE)
        self._options, self._stores, self._histories = options, stores, histories
        self._filtered = isinstance(injector, LangChainCorpus) and bool(injector.asking.narrowing)
        self._driver = Driver(app, options)
        self._models = find_models(app)
        self._under_way: list[Capture] = []
        self._lock = threading.Lock()
        if histories.found:
            self.pace.jobs = 1  # a conversation is one: questions side by side would hear each other
        hook_in()

    def retrieve(self, queries: Sequence[str], k: int) -> list[Reply]:
        """See ``Retriever.retrieve``."""
        guarded = [] if self._options.answers else self._models
        with watch(self._stores, self._saw), guard(guarded, self._before_model):
            return super().retrieve(queries, k)

    def _before_model(self) -> None:
        """A model in a thread that no callback reaches would answer before anybody knows what it was shown."""
        if current.get() is not None:
            return
        with self._lock:
            for each in self._under_way:
                each.fault = MODEL_NOTE
        raise Stop

    def _answer(self, question: str) -> Reply:
        wrong: list[BaseException] = []
        for shape in self._driver.shapes:
            capture, output, error = self._try(question, shape)
            if error is None or capture.searches:
                self._driver.remember(shape)
            elif self._driver.wrong_input(error) and shape is not self._driver.shapes[-1]:
                wrong.append(error)
                continue
            if error is not None and not wrong:
                raise error
            if error is not None:
                raise TargetError(
                    f"found no input that the application takes (as a string: {describe_error(wrong[0])}); give it with "
                    '--input, for instance --input \'{"question": "{query}"}\''
                ) from error
            return make_reply(capture, output, self._options)
        raise AssertionError("there is always a form to try")

    def _try(self, question: str, shape: Shape) -> tuple[Capture, Any, BaseException | None]:
        capture = Capture(question, answers=self._options.answers, allow_model=self._options.allow_model)
        was = self._driver.asynchronous
        with self._watched(capture), self._histories.kept():
            try:
                return capture, self._driver.ask(shape(question), capture), None
            except Stop:
                return capture, None, None
            except BaseException as error:  # whatever the application made of our stop, an exit included
                if capture.stopped or capture.refused or capture.fault:
                    return capture, None, None
                failed = error
        if self._driver.go_async(failed, was=was):
            return self._try(question, shape)
        return capture, None, failed

    @contextmanager
    def _watched(self, capture: Capture) -> Iterator[None]:
        with self._lock:
            self._under_way.append(capture)
        token = current.set(capture)
        try:
            yield
        finally:
            current.reset(token)
            with self._lock:
                self._under_way.remove(capture)

    def _saw(self, documents: Sequence[Any], settings: Mapping[str, Any]) -> None:
        """A search of the store; one from a thread without a context is the only question's that is under way."""
        if not self._filtered and (narrowing := {k: v for k, v in settings.items() if k in FILTERS and v}):
            self.remark(FILTER_NOTE.format(narrowing=" ".join(repr(narrowing).split())[:200]))
        if (capture := current.get()) is not None:
            capture.saw_search(documents)
            return
        with self._lock:
            asked = list(self._under_way)
            self.pace.jobs = 1
            self.remark(THREAD_NOTE)
        if len(asked) == 1:
            asked[0].saw_search(documents)
        for each in asked if len(asked) > 1 else ():
            each.fault = "a search in a thread of the application's own, and several questions under way; use --jobs 1"
