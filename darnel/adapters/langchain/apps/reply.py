"""From what was seen of a question to its reply."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.output import read_output
from darnel.adapters.langchain.apps.capture import Capture
from darnel.adapters.langchain.apps.stop import holds_any
from darnel.adapters.langchain.stores.plain import document_id
from darnel.core.corpus import Reply, Source, Step


def make_reply(capture: Capture, output: Any, options: AppOptions) -> Reply:
    """The reply: a run that was stopped has no answer, whatever the application made of the stop."""
    answer, shown = (None, None) if capture.stopped or capture.refused else read_output(output)
    delivered = shown
    if delivered is None and (capture.searches or capture.reached):
        delivered = tuple(map(as_source, merged(capture.reached)))
    return Reply(
        sources=tuple(map(as_source, merged(capture.searches))),
        delivered=delivered,
        prompt=_prompt(capture, stops=not options.answers),
        answer=answer,
        error=capture.fault or capture.refused or None,
        steps=tuple(Step(name, tuple(map(as_source, found))) for name, found in capture.steps),
        searched=bool(capture.searches),
    )


def as_source(document: Any) -> Source:
    """A document as a source."""
    return Source(document_id(document), document.page_content, dict(document.metadata or {}))


def merged(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Several lists as one: first the first of each, then the second, each document once.

    Searches side by side end in no order, so the lists are put in one by what they hold.
    """
    lists = sorted(lists, key=lambda way: [d.page_content for d in way])
    seen: set[tuple[str | None, str]] = set()
    kept = []
    for document in _in_turn(lists):
        key = (document_id(document), document.page_content)
        if key not in seen:
            seen.add(key)
            kept.append(document)
    return kept


def _in_turn(lists: Sequence[Sequence[Any]]) -> Iterator[Any]:
    rows: Iterable[tuple[Any, ...]] = zip_longest(*lists)
    yield from (item for row in rows for item in row if item is not None)


def _prompt(capture: Capture, *, stops: bool) -> str | None:
    """What the model was shown that saw the documents; several calls' in order. None where that is not known whole."""
    if stops and capture.stopped and capture.in_parts:
        return None  # the first of several prompts, each with a part of the documents
    outside = [p for p in capture.prompts if not p.in_retriever]
    holding = [p.text for p in outside if p.holds]
    if capture.stopped:  # before the others of a batch came to their model
        seen = capture.seen()
        holding += [text for text in capture.formatted if holds_any(text, seen, capture.question)]
    if holding:
        return "\n\n".join(dict.fromkeys(holding))
    late = [p.text for p in outside if p.after_search]
    return late[-1] if late else None
