"""Where only a write can tell whether a store keeps ids, shows them and deletes: the first plant of a run tells.

It is in the ledger before it is written, as every plant is, and taken out again before the others go in. A store that
files it under a name of its own leaves a *stray*, which is read and removed in the plant's place, so that the campaign
proves its removal or names it as left over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from darnel.adapters.langchain.stores.access import StoreAccess
from darnel.adapters.langchain.stores.plain import document_id, to_record
from darnel.core.asking.evidence import canonical_id
from darnel.core.corpus import Record
from darnel.core.errors import TargetError, describe_error
from darnel.core.plant import Plant, content_digest, find_markers
from darnel.core.planting.waiting import FIRST_PAUSE, LONGEST_PAUSE, shows

WAIT = 10.0
"""Seconds for the store to show the probe by its id, and again to show it no more."""
LOOK = 10
"""Documents looked through for a probe that cannot be read by any id."""
_ADVICE = "darnel cannot plant into it; use a store that keeps ids, shows documents by id and deletes them"


@dataclass(frozen=True, slots=True)
class Stray:
    """A plant that its store filed under another id; ``id`` None: under none that can be read."""

    plant: Plant
    id: str | None

    def read(self, store: Any, access: StoreAccess) -> Record | None:
        """The document as it is now."""
        if self.id is None:
            return search_marker(store, self.plant)
        return access.read([self.id]).get(self.id)


class Probed(Protocol):
    """What the probe needs of the corpus."""

    store: Any
    access: StoreAccess
    strays: dict[str, Stray]

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]: ...  # noqa: D102  # LangChainCorpus's own, told there

    def remove(self, ids: Sequence[str]) -> None: ...  # noqa: D102  # LangChainCorpus's own, told there

    def write(self, plants: Sequence[Plant]) -> list[str]: ...  # noqa: D102  # LangChainCorpus's own, told there


def prove_by_writing(corpus: Probed, plant: Plant) -> None:
    """Write one plant, read it back, delete it, see it gone.

    Raises:
        TargetError: one of these fails; what was written was taken out, or the corpus knows it as a stray.
    """
    name = type(corpus.store).__name__
    try:
        returned = corpus.write([plant])
    except NotImplementedError as error:  # LangChain's word for a store without a synchronous add
        raise TargetError(f"{name} cannot be written to from here: {describe_error(error)}") from error
    found = _await_shown(corpus, plant, returned)
    if found is None:
        _refuse_stray(corpus, plant, returned)
        raise TargetError(f"{name} did not show a document by its id within {WAIT:.0f} s; {_ADVICE}")
    if not shows({plant.id: found}, plant) or content_digest(found.text, found.metadata) != plant.digest:
        _take_out(corpus, Stray(plant, plant.id))
        raise TargetError(f"{name} changes the text or the metadata it is given; {_ADVICE}")
    corpus.remove([plant.id])
    if not _wait(lambda: not corpus.read([plant.id])):
        raise TargetError(f"{name}.delete did not take a document out within {WAIT:.0f} s; {_ADVICE}")


def search_marker(store: Any, plant: Plant) -> Record | None:
    """The document that holds a plant's marker, as a search for its text brings it; its id may be empty."""
    for document in store.similarity_search(plant.text, k=LOOK):
        if plant.marker in find_markers(document.page_content):
            return to_record(document_id(document) or "", document)
    return None


def _await_shown(corpus: Probed, plant: Plant, returned: Sequence[str]) -> Record | None:
    found = corpus.read([plant.id]).get(plant.id)
    if found is None and _same_id(returned, plant):
        _wait(lambda: plant.id in corpus.read([plant.id]))
        found = corpus.read([plant.id]).get(plant.id)
    return found


def _same_id(returned: Sequence[str], plant: Plant) -> bool:
    return not returned or canonical_id(returned[0]) == canonical_id(plant.id)


def _refuse_stray(corpus: Probed, plant: Plant, returned: Sequence[str]) -> None:
    """Find what was written by the id that the store returned, else by search; take it out and refuse the store."""
    stray = next((Stray(plant, id_) for id_ in returned if _holds(corpus, plant, id_)), None)
    if stray is None and (found := search_marker(corpus.store, plant)) is not None:
        stray = Stray(plant, found.id if _holds(corpus, plant, found.id) else None)
    if stray is not None:
        _take_out(corpus, stray)
        raise TargetError(f"{type(corpus.store).__name__} does not keep the ids it is given; {_ADVICE}")


def _holds(corpus: Probed, plant: Plant, id_: str) -> bool:
    found = corpus.access.read([id_]).get(id_) if id_ else None
    return found is not None and plant.marker in find_markers(found.text)


def _take_out(corpus: Probed, stray: Stray) -> None:
    """Delete a document that is ours by its marker, whatever became of its stamp."""
    corpus.strays[stray.plant.id] = stray
    if stray.id is None:
        return
    try:
        corpus.store.delete(ids=[stray.id])
        if _wait(lambda: stray.read(corpus.store, corpus.access) is None):
            del corpus.strays[stray.plant.id]
    except Exception:  # it stays a stray: the campaign tries again, and names it if it has to
        return


def _wait(done: Callable[[], bool]) -> bool:
    """Poll until it is done; False after ``WAIT`` seconds."""
    started, pause = time.monotonic(), FIRST_PAUSE
    while not done():
        if time.monotonic() - started >= WAIT:
            return False
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
    return True
