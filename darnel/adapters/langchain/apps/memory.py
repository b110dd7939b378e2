"""What an application remembers between questions: conversations, model caches, embedding caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from darnel.adapters.apps.walk import Found, walk
from darnel.adapters.langchain.apps.find import worth_a_look
from darnel.core.corpus import Check


class Histories:
    """The conversations in an application that know no threads: put back after each question.

    Args:
        app: where to look for them.
        name: how it is called in paths.
    """

    def __init__(self, app: Any, name: str) -> None:
        self.found: Sequence[Found] = walk(app, name, _remembers, worth_a_look)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Whatever the block adds to them is taken out again."""
        before = [(history.messages, list(history.messages)) for _, history in self.found]
        try:
            yield
        finally:
            for messages, kept in before:
                messages[:] = kept


def _remembers(item: Any) -> bool:
    """A chat history in this process; those in a database cannot be put back, and are not looked at."""
    names = {base.__name__ for base in type(item).__mro__}
    return "InMemoryChatMessageHistory" in names and isinstance(getattr(item, "messages", None), list)


def leftover_checks(app: Any, name: str, histories: Histories) -> Iterator[Check]:
    """Whatever may answer from a document that is long gone, or from an earlier question."""
    from langchain_core.globals import get_llm_cache

    if (cache := get_llm_cache()) is not None:
        detail = f"a {type(cache).__name__} is set and may answer from documents that were removed"
        yield Check("model cache", None, detail, "Unset it while testing: set_llm_cache(None).")
    for path, found in walk(app, name, _caches, worth_a_look):
        detail = f"{path} is a {type(found).__name__}: plants' texts and questions stay in its cache"
        yield Check("embedding cache", None, detail, "Give it a cache of its own while testing.")
    if histories.found:
        paths = ", ".join(path for path, _ in histories.found)
        detail = f"conversations are remembered in {paths}; put back after each question, one question at a time"
        yield Check("memory", None, detail, "Use a fresh session for each question where the application can.")


def _caches(item: Any) -> bool:
    return type(item).__name__ == "CacheBackedEmbeddings"
