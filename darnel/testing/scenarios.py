"""Scenario fixtures: the situations that the promises are tested in. Nobody overrides them; the guard sees to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from darnel.core.corpus import CorpusDescription, CorpusInjector, Record, Target
from darnel.core.plant import Plant, read_stamp
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.testing.fixtures import ConformanceFixtures
from darnel.testing.guard import find_faults
from darnel.testing.plants import ids_of, make_plants
from darnel.testing.witness import Witness, assert_same

CAMPAIGN = "conformance-one"
OTHER_CAMPAIGN = "conformance-two"


class Scenarios(ConformanceFixtures):
    """Base of every promise."""

    promises: ClassVar[tuple[type, ...]] = ()
    """Every promise of the suite; ``darnel.testing.suite``, which knows them, fills it in."""

    def test_no_promise_is_dropped(self, request: pytest.FixtureRequest) -> None:
        """Every promise is tested by this module, and none is overridden but by a strict ``xfail`` with a reason.

        If it fails, look at your test classes: delete the override, or mark it ``xfail(strict=True, reason=...)``.
        """
        faults = find_faults(type(self), Scenarios, Scenarios.promises, strict=_strict_by_default(request.config))
        assert not faults, "; ".join(faults)

    @pytest.fixture
    def target(self, store: Any) -> Iterator[Target]:
        """The adapter on the filled store."""
        opened = self.open(store, self.embedder())
        yield opened
        opened.close()

    @pytest.fixture
    def injector(self, target: Target) -> CorpusInjector:
        """Its injector."""
        return target.injector

    @pytest.fixture
    def where(self, injector: CorpusInjector) -> CorpusDescription:
        """How it describes itself before anything is planted."""
        return injector.describe()

    @pytest.fixture
    def again(self, store: Any) -> Iterator[Callable[[], Target]]:
        """Opens the adapter afresh on the same store, as another process would; any number of times."""
        with ExitStack() as stack:

            def reopen() -> Target:
                opened = self.reopen(store, self.embedder())
                stack.callback(opened.close)
                return opened

            yield reopen

    @pytest.fixture
    def eye(self, store: Any) -> Witness:
        """The witness: reads the store without the adapter."""
        return Witness(lambda: self.witness(store))

    @pytest.fixture
    def plants(self, where: CorpusDescription) -> list[Plant]:
        """Five plants, not planted."""
        return make_plants(where, CAMPAIGN)

    @pytest.fixture
    def planted(self, injector: CorpusInjector, plants: list[Plant]) -> list[Plant]:
        """Five plants, planted."""
        return self.sow(injector, plants)

    @pytest.fixture
    def half_planted(self, injector: CorpusInjector, plants: list[Plant]) -> list[Plant]:
        """Five plants, of which only the first two landed."""
        self.sow(injector, plants[:2])
        return plants

    @pytest.fixture
    def foreign(self, store: Any, plants: list[Plant]) -> Record:
        """A record of the application's under the id of the fourth plant, which is not planted."""
        record = Record(plants[3].id, "The owner's own record, here first.", dict(self.records()[0].metadata or {}))
        self.put(store, [record])
        return record

    @pytest.fixture
    def ledger(self, tmp_path: Path) -> Iterator[Ledger]:
        """An empty ledger."""
        with Ledger(tmp_path / "ledger.db") as opened:
            yield opened

    def other_plants(
        self, injector: CorpusInjector, campaign: str, *, same_ids_as: Sequence[Plant] = ()
    ) -> list[Plant]:
        """Three plants of another campaign; with ``same_ids_as``, under those ids."""
        made = make_plants(injector.describe(), campaign, 3)
        return [replace(p, id=twin.id) for p, twin in zip(made, same_ids_as, strict=False)] if same_ids_as else made

    def sow(self, injector: CorpusInjector, plants: Sequence[Plant]) -> list[Plant]:
        """Inject, and let the store settle."""
        injector.inject(plants)
        self.settle()
        return list(plants)

    def pull(self, injector: CorpusInjector, plants: Sequence[Plant]) -> None:
        """Remove, and let the store settle."""
        injector.remove(ids_of(plants))
        self.settle()

    def put(self, store: Any, records: Sequence[Record]) -> None:
        """Write as the application does, with vectors, and let the store settle."""
        vectors = self.embedder().documents([r.text or "" for r in records]) if self.declared.vectors else None
        filled = [
            Record(r.id, r.text, r.metadata, None if vectors is None else vectors[n]) for n, r in enumerate(records)
        ]
        self.write(store, filled)
        self.settle()

    def campaign(self, injector: CorpusInjector, ledger: Ledger, **settings: Any) -> Campaign:
        """A campaign with this suite's patience."""
        return Campaign(injector, ledger, visible_within=self.patience, gone_within=self.patience, **settings)

    @contextmanager
    def unharmed(self, store: Any, during: str) -> Iterator[None]:
        """Around a block, the owner's records, every neighbour and the structure stay bit-identical."""
        before, structure, next_door = self._owners(store), self.structure(store), self._next_door(store)
        yield
        assert_same(before, self._owners(store), during)
        assert self.structure(store) == structure, f"the structure changed during {during}"
        for name, records in self._next_door(store).items():
            assert_same(next_door[name], records, f"{during}, in the neighbour {name}")

    def _owners(self, store: Any) -> dict[str, Record]:
        found = Witness(lambda: self.witness(store)).records()
        return {id_: record for id_, record in found.items() if read_stamp(record.metadata) is None}

    def _next_door(self, store: Any) -> dict[str, dict[str, Record]]:
        if not self.declared.neighbours:
            return {}
        return {name: {r.id: r for r in records} for name, records in self.neighbours(store).items()}


def _strict_by_default(config: pytest.Config) -> bool:
    for name in ("strict_xfail", "xfail_strict"):
        try:
            if config.getini(name):
                return True
        except (KeyError, ValueError):
            continue
    return False
