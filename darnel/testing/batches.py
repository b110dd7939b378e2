"""Promise: any number of plants may be written, read and removed; what landed of a failed write is found by reading."""

from __future__ import annotations

from dataclasses import replace

from darnel.core.corpus import CorpusDescription, CorpusInjector
from darnel.core.plant import Plant
from darnel.core.planting.ledger import Ledger
from darnel.testing.faults import Faulty
from darnel.testing.plants import ids_of, make_plants
from darnel.testing.scenarios import CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_holds

MANY = 6_000
"""Plants at the most in a test, where the store has no limit worth the name."""


class Batches(Scenarios):
    """Limits are the adapter's business, and half-done work is found."""

    def test_one_more_than_a_batch(self, injector: CorpusInjector, where: CorpusDescription, eye: Witness) -> None:
        """One plant over the declared batch limit is written, read and removed in a call each.

        If it fails, look at the store's limit on a request, for each of the three calls, and at the last, short batch.
        """
        plants = make_plants(where, CAMPAIGN, min(where.max_batch + 1, MANY))
        self.sow(injector, plants)
        assert_holds(eye.records(), plants)
        assert len(injector.read(ids_of(plants))) == len(plants)
        self.pull(injector, plants)
        assert not eye.plants()

    def test_ids_by_the_thousand(self, injector: CorpusInjector, planted: list[Plant]) -> None:
        """Tens of thousands of ids in one read, nearly all of them absent: the few that are there are found.

        If it fails, look at limits on variables or URL length: ask in chunks.
        """
        absent = [f"{n:08x}-0000-5000-8000-000000000000" for n in range(35_000)]
        assert set(injector.read([*absent, *ids_of(planted)])) == set(ids_of(planted))

    def test_a_text_near_the_limit_is_taken(
        self, injector: CorpusInjector, where: CorpusDescription, eye: Witness
    ) -> None:
        """A plant of nearly the declared size (at most 4 MB here) is written whole.

        If it fails, look at ``max_text_bytes`` and ``max_batch_bytes``: the store takes less than they say.
        """
        room = min(where.max_text_bytes or where.max_batch_bytes, where.max_batch_bytes, 4_000_000)
        long = "x" * 7 + " "
        plant = make_plants(where, CAMPAIGN, 1, text=long * ((room - 4_000 - 24 * (where.dimension or 0)) // len(long)))
        self.sow(injector, plant)
        assert_holds(eye.records(), plant)

    def test_a_batch_that_fails_halfway(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """The second of three batches writes one of its two plants and raises: three are visible, and none stays.

        If it fails, look at ``read``: it alone says what landed.
        """
        before = eye.digests()
        faulty = Faulty(injector, fail_at=2, landing=1)
        with self.campaign(faulty, ledger, id=CAMPAIGN) as campaign:
            planting = campaign.plant(plants)
            self.settle()
            assert planting.error
            assert planting.visible == set(eye.plants()) == set(ids_of(plants[:3]))
            assert planting.missing == set(ids_of(plants[3:]))
        assert not campaign.leftovers
        assert eye.digests() == before

    def test_a_write_that_lands_and_raises(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """A write that reports a failure and landed all the same is seen, and taken out.

        If it fails, look at ``read``: it must show what is there, whatever the write said.
        """
        before = eye.digests()
        with self.campaign(Faulty(injector, batch=9, fail_at=1, landing=9), ledger, id=CAMPAIGN) as campaign:
            planting = campaign.plant(plants)
            assert planting.error
            assert planting.visible == set(ids_of(plants))
        assert not campaign.leftovers
        assert eye.digests() == before

    def test_a_removal_that_fails_at_first(
        self, injector: CorpusInjector, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """A removal that raises twice is tried again, and nothing is left over.

        If it fails, look at ``remove``: it may be called any number of times.
        """
        before = eye.digests()
        with self.campaign(Faulty(injector, batch=9, removals=2), ledger, id=CAMPAIGN) as campaign:
            assert campaign.plant(plants).visible
        assert not campaign.leftovers
        assert eye.digests() == before

    def test_small_batches(
        self, injector: CorpusInjector, where: CorpusDescription, plants: list[Plant], ledger: Ledger, eye: Witness
    ) -> None:
        """Plants written one and one, and by bytes, add up to the same as written at once.

        If it fails, look at state that one inject leaves for the next.
        """
        room = max(p.size for p in plants) + 24 * (where.dimension or 0) + 1
        for narrow in (replace(where, max_batch=1), replace(where, max_batch_bytes=2 * room)):
            with self.campaign(injector, ledger, description=narrow) as campaign:
                own = make_plants(where, campaign.id)
                assert campaign.plant(own).visible == set(ids_of(own))
                assert_holds(eye.records(), own)
            assert not eye.plants()
