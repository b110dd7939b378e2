"""Promise: two campaigns on one corpus do not get into each other's way."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError

from darnel.core.corpus import CorpusInjector, Target
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.ledger import Ledger
from darnel.testing.plants import ids_of, make_plants
from darnel.testing.scenarios import Scenarios
from darnel.testing.witness import Witness, assert_holds

ROUNDS = 3


class Concurrency(Scenarios):
    """Interleaved, and at the same time."""

    def test_interleaved_campaigns(
        self, injector: CorpusInjector, again: Callable[[], Target], ledger: Ledger, eye: Witness
    ) -> None:
        """Each campaign sees and removes its own plants only, in whatever order they start and end.

        If it fails, look at removals that reach beyond the ids given.
        """
        before = eye.digests()
        with self.campaign(injector, ledger) as one:
            first = make_plants(one.where, one.id)
            one.plant(first)
            with self.campaign(again().injector, ledger) as two:
                second = make_plants(two.where, two.id, 3)
                assert two.plant(second).visible == set(ids_of(second))
                assert one.remove(first[:3]).removed == set(ids_of(first[:3]))
                assert set(eye.plants()) == set(ids_of([*first[3:], *second]))
            assert set(eye.plants()) == set(ids_of(first[3:]))
            assert_holds(eye.records(), first[3:])
        assert not [*one.leftovers, *two.leftovers]
        assert eye.digests() == before

    def test_campaigns_at_the_same_time(self, again: Callable[[], Target], tmp_path: Path, eye: Witness) -> None:
        """Two threads, each with an injector and a ledger connection of its own, plant and remove over and over.

        If it fails, look at what two injectors share: a client that is not safe for threads, a whole container rewritten.
        """
        before = eye.digests()
        opened, together = [again(), again()], Barrier(2, timeout=60)
        with ThreadPoolExecutor(2) as pool:
            problems = list(pool.map(lambda target: self._rounds(target, tmp_path / "ledger.db", together), opened))
        assert problems == ["", ""]
        assert eye.digests() == before

    def _rounds(self, target: Target, path: Path, together: Barrier) -> str:
        """What went wrong, or nothing."""
        try:
            with Ledger(path) as ledger:
                for number in range(ROUNDS):
                    with self.campaign(target.injector, ledger) as campaign:
                        problem = self._round(campaign, together)
                    if campaign.leftovers:
                        problem = problem or campaign.leftovers[0].reason
                    if problem:
                        return f"round {number}: {problem}"
        except BrokenBarrierError:
            return "the other thread gave up"
        finally:
            together.abort()  # whoever is done, or gives up, keeps nobody waiting
        return ""

    def _round(self, campaign: Campaign, together: Barrier) -> str:
        plants = make_plants(campaign.where, campaign.id, 8)
        together.wait()  # both write now
        planting = campaign.plant(plants)
        together.wait()  # both have written: what one of them lost is missing for good
        if planting.error or planting.missing:
            return planting.error or f"{len(planting.missing)} plants not visible"
        there = campaign.injector.read(ids_of(plants))
        return "" if len(there) == len(plants) else f"only {len(there)} of {len(plants)} plants are still there"
