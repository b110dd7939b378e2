"""From an application and the store found in it to a target."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.langchain.apps.asking import LangChainAsker
from darnel.adapters.langchain.apps.find import FoundStore, choose_store, find_asking, find_stores
from darnel.adapters.langchain.apps.memory import Histories, leftover_checks
from darnel.adapters.langchain.asking import Asking
from darnel.core.corpus import Check, Target


@dataclass(frozen=True, slots=True)
class App:
    """An application and its store. ``several``: it holds others, so that a spec has to say which."""

    app: Any
    name: str
    chosen: FoundStore
    several: bool
    asking: Asking

    @property
    def title(self) -> str:
        """What is asked, for people."""
        return f"{kind_of(self.app)} {self.name}"


def is_app(given: Any) -> bool:
    """Whether darnel can ask it questions: a runnable, or a function (or method) of one argument."""
    from langchain_core.runnables import Runnable

    return isinstance(given, Runnable) or takes_question(given)


def takes_question(given: Any) -> bool:
    """Whether it is called with one argument, the question."""
    required = required_parameters(given)
    return required is not None and len(required) == 1


def required_parameters(given: Any) -> list[str] | None:
    """The parameters without which it cannot be called; None for what cannot be called, or is a class."""
    if not callable(given) or inspect.isclass(given):
        return None
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def look_into(given: Any, name: str, wanted: str | None) -> App:
    """Find the store of an application.

    Raises:
        UsageError: there is none in it, or several and it was not said which.
    """
    found = find_stores(given, name)
    chosen = choose_store(found, wanted, name)
    return App(given, name, chosen, len(found) > 1, find_asking(given, chosen))


def asked(app: App, store: Target, options: AppOptions) -> Target:
    """The target of its store, asked through the application."""
    found = Check("application", True, f"{app.title}; its store was found at {app.chosen.path}")
    return _through(app.app, app.name, store, app.chosen.objects, options, found)


def asked_apart(app: Any, name: str, store: Target, options: AppOptions) -> Target:
    """The target of a store that was named apart, asked through the application, wherever that keeps its documents."""
    objects = [each for found in find_stores(app, name) for each in found.objects]
    found = Check("application", True, f"{kind_of(app)} {name}; plants go into the store that was named")
    return _through(app, name, store, objects, options, found)


def _through(app: Any, name: str, store: Target, watched: Sequence[Any], options: AppOptions, found: Check) -> Target:
    histories = Histories(app, name)
    asker = LangChainAsker(app, options, store.injector, watched, histories)

    def checks() -> Iterator[Check]:
        yield found
        yield from leftover_checks(app, name, histories)
        yield from store.checks()

    return replace(store, retriever=asker, store_search=False, app=f"{kind_of(app)} {name}", checks=checks)


def kind_of(app: Any) -> str:
    """What an application is called by those who write one."""
    modules = {base.__module__.partition(".")[0] for base in type(app).__mro__}
    names = {base.__name__ for base in type(app).__mro__}
    if "langgraph" in modules:
        return "LangGraph graph"
    if "BaseRetriever" in names:
        return f"retriever ({type(app).__name__})"
    if "Chain" in names:
        return f"chain ({type(app).__name__})"
    return "chain" if "Runnable" in names else "function"
