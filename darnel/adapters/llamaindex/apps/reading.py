"""What LlamaIndex's objects hold, in the kit's terms: sources from nodes and query results, text from messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from darnel.adapters.apps.output import as_sources, as_text
from darnel.adapters.llamaindex.apps.trace import Trace
from darnel.core.corpus import Source
from darnel.core.errors import describe_error


@contextmanager
def noting(trace: Trace) -> Iterator[None]:
    """What goes wrong in the watching must not end the application's call, and not be swallowed: it is noted."""
    try:
        yield
    except Exception as error:
        trace.errors.append(f"watching the application failed: {describe_error(error)}")


def sources_of(nodes: Any) -> tuple[Source, ...]:
    """Sources from LlamaIndex's nodes with scores."""
    return as_sources(list(nodes)) or ()


def hits(result: Any) -> tuple[Source, ...]:
    """What a store's query returned; some return ids only."""
    scores = list(result.similarities or ())
    if result.nodes:
        scores += [None] * (len(result.nodes) - len(scores))
        found = sources_of(result.nodes)
        return tuple(Source(s.id, s.text, s.metadata, score) for s, score in zip(found, scores, strict=False))
    ids = list(result.ids or ())
    scores += [None] * (len(ids) - len(scores))
    return tuple(Source(id_, score=score) for id_, score in zip(ids, scores, strict=False))


def prompt_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The text that a model is given: a prompt, messages one after another, or a template with what fills it."""
    template = next((a for a in (*args, kwargs.get("prompt")) if hasattr(a, "format_messages")), None)
    if template is not None:
        filling = {k: v for k, v in kwargs.items() if k not in {"prompt", "output_cls", "llm_kwargs"}}
        return prompt_of((template.format_messages(**filling),), {})
    given = args[0] if args else kwargs.get("messages", kwargs.get("prompt"))
    if isinstance(given, str):
        return given
    return "\n\n".join(_text(message) for message in given or ())


def _text(message: Any) -> str:
    """A message's text; of one without, such as a call of a tool, what it prints."""
    return as_text(getattr(message, "content", None)) or as_text(message) or str(message)
