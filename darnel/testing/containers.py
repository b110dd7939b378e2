"""Promise: no container, index, schema, dimension or setting is created or changed; a missing one is an error."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from darnel.core.corpus import CorpusInjector, Target
from darnel.core.errors import DarnelError, TargetError
from darnel.core.plant import Plant
from darnel.testing.plants import changed, make_plants
from darnel.testing.scenarios import CAMPAIGN, Scenarios


class Containers(Scenarios):
    """The store's structure is the owner's."""

    def test_structure_is_the_same_throughout(self, store: Any, target: Target, plants: list[Plant]) -> None:
        """Opening, planting, asking and removing change nothing that ``structure`` shows.

        If it fails, look at get_or_create, payload indexes, metadata or configuration set on the container, and migrations.
        """
        before = self.structure(store)
        self.sow(target.injector, plants)
        assert self.structure(store) == before, "an inject changed it"
        if target.retriever is not None:
            target.retriever.retrieve([plants[0].text], 3)
        self.sow(target.injector, [changed(p, text="Changed.") for p in plants])
        self.pull(target.injector, plants)
        assert self.structure(store) == before, "a removal changed it"

    def test_a_missing_container_is_an_error(self, store: Any) -> None:
        """Opening or describing a container that is not there raises a ``TargetError`` that says so.

        If it fails, look at constructors that create what is missing, and at clients that connect lazily.
        """
        self.declared.need("named")
        with pytest.raises(TargetError):
            self.open_missing(store).injector.describe()

    def test_a_missing_container_is_not_created(
        self, store: Any, injector: CorpusInjector, plants: list[Plant]
    ) -> None:
        """Neither opening it nor planting into it makes it.

        If it fails, look at get_or_create, and at frameworks whose constructor creates: check before you construct.
        """
        self.declared.need("named")
        before = self.structure(store)
        with suppress(DarnelError):
            missing = self.open_missing(store).injector
            missing.describe()
            missing.inject(plants)
        self.settle()
        assert self.structure(store) == before

    def test_an_empty_container_is_refused(self, store: Any) -> None:
        """Where the first vector would fix the dimension for good, planting into an empty container is refused.

        If it fails, look at ``describe().dimension`` being unknown: refuse with ``EmptyCorpusError`` before any write.
        """
        self.declared.need("empty")
        opened = self.open_empty(store, self.embedder())
        before = self.structure(store)
        with pytest.raises(DarnelError):
            opened.injector.inject(make_plants(opened.injector.describe(), CAMPAIGN))
        self.settle()
        after = self.structure(store)
        opened.close()
        assert after == before
