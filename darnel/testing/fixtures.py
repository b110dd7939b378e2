"""What an adapter's author fills in; everything else of the suite follows from it.

``store`` is whatever handle your native client works with; the suite only hands it back to your own methods. Nothing
here but ``open`` and its relatives may go through the adapter: the witness must not share its mistakes.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from darnel.core.corpus import Record, Source, Target
from darnel.core.plant import NAMESPACE
from darnel.embedders.base import Embedder
from darnel.testing.declared import Declared
from darnel.testing.embedding import word_embedder
from darnel.testing.library import FOREIGN_CAMPAIGN, LIBRARY, NEXT_DOOR, stamped_elsewhere

App = Callable[[str, int], Sequence[Source]]
"""How an application asks: a question and how many sources it wants; best first, texts and metadata included."""


class ConformanceFixtures:
    """Subclass it, fill it in, and inherit the promises: ``class TestMyStore(MyFixtures, ConformanceSuite)``."""

    declared: ClassVar[Declared] = Declared()
    """Abilities of the store; all on unless you turn one off."""
    patience: ClassVar[float] = 2.0
    """Seconds to wait until a write, or a removal, shows."""
    examples: ClassVar[int] = 8
    """Random histories to try; ``--darnel-examples`` sets it for a run."""
    shrink: ClassVar[bool] = True
    """Whether a history that fails is made as short as possible, which takes a while."""

    @pytest.fixture
    def store(self) -> Any:
        """Yield a store filled with ``self.records()`` (and its neighbours), then clean up; a fresh one for each test."""
        raise NotImplementedError

    def open(self, store: Any, embedder: Embedder | None) -> Target:
        """The adapter under test on that store, with its reader and its retriever if it has them."""
        raise NotImplementedError

    def witness(self, store: Any) -> Iterable[Record]:
        """Every record of the container, with its vector, straight from the native client."""
        raise NotImplementedError

    def write(self, store: Any, records: Sequence[Record]) -> None:
        """Write as the application does: insert, or replace the whole record under that id."""
        raise NotImplementedError

    def delete(self, store: Any, ids: Sequence[str]) -> None:
        """Delete as the application does; every id is there."""
        raise NotImplementedError

    def structure(self, store: Any) -> object:
        """Everything that no run may change, as values that compare: containers, schema, indexes, dimension, settings."""
        raise NotImplementedError

    def app(self, store: Any) -> App:
        """Ask as the application does, through its own framework if it has one; may keep state between questions."""
        raise NotImplementedError

    # what follows has a default, or is asked for only while its ability is declared

    def embedder(self) -> Embedder:
        """The application's embedder."""
        return word_embedder()

    def records(self) -> list[Record]:
        """What the store is filled with, vectors included; override it where the store cannot hold these."""
        return self.with_vectors(LIBRARY)

    def neighbour_records(self) -> list[Record]:
        """What each neighbour is filled with: the same ids again, one of its own, and somebody else's plant."""
        return self.with_vectors([*LIBRARY, NEXT_DOOR, stamped_elsewhere(FOREIGN_CAMPAIGN)])

    def reopen(self, store: Any, embedder: Embedder | None) -> Target:
        """The adapter as another process would open it: a new client where the store allows one."""
        return self.open(store, embedder)

    def second_app(self, store: Any) -> App:
        """A second client of the application's (ability ``second_client``)."""
        return self.app(store)

    def neighbours(self, store: Any) -> Mapping[str, Iterable[Record]]:
        """Name → records of the other containers and tenants (ability ``neighbours``), from the native client."""
        raise NotImplementedError

    def open_missing(self, store: Any) -> Target:
        """Open a container that is not there (ability ``named``); raising is what is hoped for."""
        raise NotImplementedError

    def open_empty(self, store: Any, embedder: Embedder) -> Target:
        """Make an empty container beside the one under test and open it (ability ``empty``)."""
        raise NotImplementedError

    def settle(self) -> None:
        """Called after each write of a test; wait here where the store shows a write late."""

    def with_vectors(self, records: Sequence[Record]) -> list[Record]:
        """The records with free ids or UUIDs, as declared, and with the vectors of ``self.embedder()``."""
        vectors = self.embedder().documents([r.text or "" for r in records]) if self.declared.vectors else None
        return [
            replace(r, id=self.own_id(r.id), vector=None if vectors is None else vectors[n])
            for n, r in enumerate(records)
        ]

    def own_id(self, name: str) -> str:
        """An id for a record of the application's: the name itself, or a UUID made of it where ids are not free."""
        return name if self.declared.free_ids else str(uuid.uuid5(NAMESPACE, name))
