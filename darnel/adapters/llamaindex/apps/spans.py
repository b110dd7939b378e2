"""A span handler for LlamaIndex's dispatcher. Imported only while watching: its base class is LlamaIndex's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler

from darnel.adapters.llamaindex.apps.reading import noting, sources_of
from darnel.adapters.llamaindex.apps.span import Span, retriever_around
from darnel.adapters.llamaindex.apps.trace import Trace

RETRIEVALS = ("retrieve", "aretrieve")
ID_TAIL = len("-00000000-0000-0000-0000-000000000000")


class SpanWatcher(BaseSpanHandler[Any]):  # type: ignore[misc]  # LlamaIndex is not read by mypy
    """Notes what retrievers return, and what each component is within.

    ``find`` tells the question under way.
    """

    _find: Callable[..., Trace | None] = PrivateAttr()

    def __init__(self, find: Callable[..., Trace | None]) -> None:
        super().__init__()
        self._find = find

    def span_enter(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any = None,
        parent_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **_more: Any,
    ) -> None:
        """A component begins."""
        kind = "retriever" if isinstance(instance, BaseRetriever) and _method(id_) in RETRIEVALS else ""
        if (trace := self._find(search=bool(kind))) is None:
            return
        with noting(trace):
            parent = trace.spans.get(parent_id or "")
            if kind and (around := retriever_around(parent)) is not None:
                around.inner = True
            trace.spans[id_] = Span(parent, None if isinstance(instance, BaseLLM) else instance, kind)

    def span_exit(
        self, id_: str, bound_args: inspect.BoundArguments, instance: Any = None, result: Any = None, **_more: Any
    ) -> None:
        """A component ends."""
        trace = self._find()
        if trace is None or (span := trace.spans.get(id_)) is None or not span.kind:
            return
        with noting(trace):
            trace.retriever_ended(span, sources_of(result))

    def span_drop(
        self, id_: str, bound_args: inspect.BoundArguments, instance: Any = None, err: Any = None, **_more: Any
    ) -> None:
        """A component raised; the searches made in it stay seen."""
        trace = self._find()
        if trace is None or (span := trace.spans.get(id_)) is None:
            return
        with noting(trace):
            for found in span.found:
                trace.store_searched(None, found)

    def new_span(self, *_args: Any, **_kwargs: Any) -> None:
        """Not used."""

    def prepare_to_exit_span(self, *_args: Any, **_kwargs: Any) -> None:
        """Not used."""

    def prepare_to_drop_span(self, *_args: Any, **_kwargs: Any) -> None:
        """Not used."""


def _method(id_: str) -> str:
    return id_[:-ID_TAIL].rpartition(".")[2]
