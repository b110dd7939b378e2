"""What raginject reads: names of sources that it recognises its documents by, and host documents that nobody planted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from darnel.core.corpus import Source, Target
from darnel.core.errors import UsageError
from darnel.core.plant import find_markers, read_stamp
from darnel.core.planting.waiting import read_all

ID_PREFIX = "raginject-"
HOSTS = 10
"""Sources looked through for a host document."""


class RecognisingTarget:
    """A raginject ``Target`` around another; see ``RaginjectInjector.recognising``."""

    def __init__(self, target: Any, names: Callable[[], Mapping[str, str]]) -> None:
        self._target, self._planted = target, names

    @property
    def target_description(self) -> str:
        """The inner one's."""
        return str(self._target.target_description)

    def query(self, question: str, context: Sequence[str] | None = None) -> dict[str, Any]:
        """Ask, and put raginject's document id behind the name of each source that is one of our plants."""
        result = dict(self._target.query(question, context))
        planted = self._planted()
        result["sources"] = [
            " ".join([source, *(id_ for name, id_ in planted.items() if name in source)])
            for source in result.get("sources") or ()
        ]
        return result


def find_host(target: Target, question: str) -> Any:
    """The record that answers a question best and that nobody planted, as raginject's ``HostDocument``; None if none.

    Raises:
        UsageError: the corpus cannot be asked.
    """
    from raginject import HostDocument

    if target.retriever is None:
        raise UsageError("this corpus cannot be asked, so it has no host documents to offer")
    (reply,) = target.retriever.retrieve([question], HOSTS)
    stored = read_all(target.injector, [source.id for source in reply.sources if source.id is not None])
    for source in reply.sources:
        found = stored.get(source.id or "")  # a retriever may leave the text out
        whole = source if found is None else Source(found.id, found.text, found.metadata)
        if whole.text and whole.text.strip() and not _is_planted(whole):
            return HostDocument(text=whole.text, source=_name(whole))
    return None


def _is_planted(source: Source) -> bool:
    """Whether darnel or raginject wrote it."""
    metadata = source.metadata or {}
    names = (source.id or "", str(metadata.get("source", "")))
    by_name = any(name.startswith(ID_PREFIX) for name in names)
    return by_name or read_stamp(metadata) is not None or bool(find_markers(source.text))


def _name(source: Source) -> str:
    metadata = source.metadata or {}
    return str(metadata.get("source") or metadata.get("title") or source.id or "unknown")
