"""Watch an application while it is asked: LlamaIndex's spans, its postprocessors and models, and the store's searches.

Spans rather than events: a span names the object that works, what it is within and what it returned, and fires for every
class of LlamaIndex's and of the application's own, whether or not its author thought of events.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from darnel.adapters.llamaindex.apps.patches import Patches, definers, family
from darnel.adapters.llamaindex.apps.reading import hits, noting, prompt_of, sources_of
from darnel.adapters.llamaindex.apps.span import Span
from darnel.adapters.llamaindex.apps.stop import MODEL_CALLS, quiet_hook
from darnel.adapters.llamaindex.apps.trace import Trace
from darnel.adapters.llamaindex.apps.whose import UnderWay, current_span, enter

POSTPROCESSING = ("postprocess_nodes", "apostprocess_nodes")
SEARCHES = ("query", "aquery")


class Watch:
    """Watches the questions under way.

    Args:
        stores: vector store objects of the application's whose searches are seen even where no retriever makes them.
        on_stray: called when a search ran in a thread that no question can be told from.
    """

    def __init__(self, stores: Sequence[Any], on_stray: Callable[[], None]) -> None:
        self._stores = list(stores)
        self._lock = threading.RLock()
        self._holds = 0
        self._under_way = UnderWay(on_stray)
        self._patches = Patches()
        self._handler: Any = None
        self._hook: Any = None
        self._hook_before: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Everything in place while inside; taken away again when the last one leaves."""
        with self._lock:
            self._holds += 1
            if self._holds == 1:
                self._install()
        try:
            yield
        finally:
            with self._lock:
                self._holds -= 1
                if self._holds == 0:
                    self._restore()

    @contextmanager
    def question(self, trace: Trace) -> Iterator[None]:
        """What happens while inside is one question's. A question that was given up holds the watch until it ends, so
        that it cannot call a model unseen later.
        """
        with self.held(), self._under_way.question(trace):
            yield

    def _install(self) -> None:
        from llama_index.core.instrumentation import DispatcherSpanMixin, root_dispatcher

        from darnel.adapters.llamaindex.apps.spans import SpanWatcher

        self._handler = SpanWatcher(self._under_way.trace)
        root_dispatcher.span_handlers = [*root_dispatcher.span_handlers, self._handler]
        for store in self._stores:
            self._patches.around(list(definers(type(store), SEARCHES)), SEARCHES, self._search, self._searched)
        self._patch_classes()
        made = DispatcherSpanMixin.__dict__["__init_subclass__"]

        def __init_subclass__(cls: type, /, **kwargs: Any) -> None:  # noqa: N807  # it takes the place of the method of that name
            made.__get__(None, cls)(**kwargs)
            self._patch_classes()

        self._hook_before = threading.excepthook
        self._hook = threading.excepthook = quiet_hook(threading.excepthook)
        self._patches.replace(DispatcherSpanMixin, "__init_subclass__", classmethod(__init_subclass__))

    def _restore(self) -> None:
        from llama_index.core.instrumentation import root_dispatcher

        self._patches.restore()
        if threading.excepthook is self._hook:
            threading.excepthook = self._hook_before
        root_dispatcher.span_handlers = [h for h in root_dispatcher.span_handlers if h is not self._handler]
        self._under_way.forget_threads()

    def _patch_classes(self) -> None:
        """Watch the postprocessors and guard the models whose classes are loaded by now."""
        from llama_index.core.base.llms.base import BaseLLM
        from llama_index.core.postprocessor.types import BaseNodePostprocessor

        pictures = sys.modules.get(
            "llama_index.core.multi_modal_llms.base"
        )  # where no application loaded it, none uses it
        models = [BaseLLM] if pictures is None else [BaseLLM, pictures.MultiModalLLM]
        with self._lock:
            self._patches.around(family(BaseNodePostprocessor), POSTPROCESSING, self._given, self._passed_on)
            for base in models:
                self._patches.around(family(base), MODEL_CALLS, self._model)

    def _model(self, _model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if (trace := self._under_way.trace()) is not None:
            trace.model_called(current_span(trace), prompt_of(args, kwargs))

    def _given(self, processor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (trace := self._under_way.trace()) is None:
            return None
        given = args[0] if args else kwargs.get("nodes", ())
        span = Span(current_span(trace), processor, "postprocessor")
        return trace, span, sources_of(given), enter(trace, span)

    def _passed_on(self, begun: Any, result: Any) -> None:
        if begun is None:
            return
        trace, span, given, leave = begun
        leave()
        if not isinstance(result, BaseException) and (span.parent is None or span.parent.instance is not span.instance):
            with noting(trace):
                trace.postprocessor_ended(span, given, sources_of(result))

    def _search(self, store: Any, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> Any:
        return self._under_way.trace(search=True) if any(store is s for s in self._stores) else None

    def _searched(self, trace: Any, result: Any) -> None:
        if trace is not None and not isinstance(result, BaseException):
            with noting(trace):
                trace.store_searched(current_span(trace), hits(result))
