"""What is seen of one question on its way: searches, the components behind them, and what is left on its way to the model."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.documents import Document
from pydantic import BaseModel

Documents = list[Document]

retrieving: ContextVar[UUID | None] = ContextVar("darnel_retrieving", default=None)
"""The retriever run that this context is, or was last, inside of."""
NAMELESS = ("Runnable", "chain", "call_model")
"""What the names of components begin with that say nothing of what they are for."""


@dataclass
class Run:
    """A component at work. ``around``: the retriever run whose context it was started in, where no callback says so.

    ``nested``: a search or a retriever was seen inside of it. ``inner``: what that search returned, if it was the only
    one. ``given``: documents it was handed.
    """

    name: str
    parent: UUID | None
    around: UUID | None = None
    retriever: bool = False
    nested: bool = False
    inner: Documents | None = None
    given: Documents | None = None
    ended: bool = False


class Trail:
    """The runs of one question, and the documents that were seen to pass.

    ``searches``: what searches of stores returned, in order. ``steps``: name → documents of each component behind them.
    ``reached``: documents on their way to the model, one list for each way.
    """

    def __init__(self) -> None:
        self.runs: dict[UUID, Run] = {}
        self.searches: list[Documents] = []
        self.steps: list[tuple[str, Documents]] = []
        self.reached: list[Documents] = []
        self.lock = threading.RLock()

    def saw_search(self, documents: Sequence[Document]) -> None:
        """A search of the store, reported by the spy on its methods."""
        with self.lock:
            inside = self.at_work(retrieving.get())
            found = list(documents)
            self.searches.append(found)
            if inside is None:
                self.reached.append(found)
            elif inside.nested:
                inside.inner = None  # several searches: what it returns is its own making
            else:
                inside.nested, inside.inner = True, found

    def retriever_starts(self, run_id: UUID, name: str, parent: UUID | None) -> None:
        """A retriever begins; whatever this context does until it ends is inside of it."""
        run = Run(name, parent, retrieving.get(), retriever=True)
        if (outer := self.outside(run)) is not None:
            outer.nested, outer.inner = True, None
        self.runs[run_id] = run
        retrieving.set(run_id)

    def retriever_ends(self, run_id: UUID, documents: Sequence[Document]) -> None:
        """A retriever returned: a search, where none was seen inside of it, else a step behind those."""
        run, found = self.runs[run_id], list(documents)
        run.ended = True
        if not run.nested:
            self.searches.append(found)
        elif run.inner is None or not same(run.inner, found):
            self.steps.append((run.name, found))
        if self.outside(run) is None:
            self.reached.append(found)

    def passed_on(self, run: Run, outputs: Any) -> None:
        """What was handed documents ended; where it returns others, it is a step behind the search."""
        passed = documents_in(outputs, empty=isinstance(outputs, list))
        if not run.given or passed is None or same(passed, run.given):
            return
        self.steps.append((run.name, passed))
        given = {d.page_content for d in run.given}
        self.reached = [way for way in self.reached if not any(d.page_content in given for d in way)] + [passed]

    def seen(self) -> list[str]:
        """The texts of all documents that were retrieved or passed on so far."""
        return [d.page_content for way in (*self.searches, *(found for _, found in self.steps)) for d in way]

    def at_work(self, run_id: UUID | None) -> Run | None:
        """The innermost retriever at work that a run is, or is inside of."""
        run = None if run_id is None else self.runs.get(run_id)
        return run if run is None or (run.retriever and not run.ended) else self.outside(run)

    def outside(self, run: Run) -> Run | None:
        """The innermost retriever at work around a run."""
        return self.at_work(run.parent) or self.at_work(run.around)

    def component(self, run_id: UUID | None) -> str:
        """The innermost component around a run that has a name of its own."""
        first = None
        while run_id is not None and (run := self.runs.get(run_id)) is not None:
            first = first or run.name
            if not run.name.startswith(NAMELESS):
                return run.name
            run_id = run.parent
        return first or "the application"


def documents_in(value: Any, *, empty: bool = False) -> Documents | None:
    """The documents that a value is, or has under one of its keys; None where there are none, an empty list if ``empty``."""
    if isinstance(value, list | tuple) and (value or empty) and all(isinstance(item, Document) for item in value):
        return list(value)
    if dataclasses.is_dataclass(value) or (isinstance(value, BaseModel) and not isinstance(value, Document)):
        value = vars(value)  # a graph's state
    if isinstance(value, dict):
        return next((found for item in value.values() if (found := documents_in(item))), None)
    return None


def same(one: Documents, other: Documents) -> bool:
    """Whether two lists hold the same documents in the same order."""
    return [(d.id, d.page_content) for d in one] == [(d.id, d.page_content) for d in other]
