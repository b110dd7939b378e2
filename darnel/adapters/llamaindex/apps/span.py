"""What a component's call is within."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from darnel.core.corpus import Source


@dataclass(eq=False)
class Span:
    """One call of a component that LlamaIndex instruments. ``kind``: "retriever", "postprocessor" or another.

    ``inner``: another retriever was asked within it. ``found``: what searches of the store returned right within it.
    """

    parent: Span | None
    instance: Any
    kind: str = ""
    inner: bool = False
    found: list[tuple[Source, ...]] = field(default_factory=list)

    def line(self) -> Iterator[Span]:
        """This one and those that it is within, innermost first."""
        span: Span | None = self
        while span is not None:
            yield span
            span = span.parent


def inside(span: Span | None) -> Span | None:
    """The retriever or postprocessor that a span is, or is within; the outermost."""
    found = [s for s in span.line() if s.kind] if span else []
    return found[-1] if found else None


def retriever_around(span: Span | None) -> Span | None:
    """The innermost retriever that a span is, or is within."""
    return next((s for s in span.line() if s.kind == "retriever"), None) if span else None


def name_of(span: Span | None) -> str:
    """What a span is within, for people."""
    named = next((s for s in span.line() if s.instance is not None), None) if span else None
    return type(named.instance).__name__ if named else "the application"
