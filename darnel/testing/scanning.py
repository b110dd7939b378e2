"""Promise: a scan shows every record once, so that the digest over it can prove that nothing else changed."""

from __future__ import annotations

from typing import Any

from darnel.core.corpus import CorpusReader, Record, Target
from darnel.core.plant import Plant
from darnel.core.planting.digest import CorpusDigest, compare_digests, take_digest
from darnel.testing.plants import ids_of
from darnel.testing.scenarios import OTHER_CAMPAIGN, Scenarios
from darnel.testing.witness import Witness, assert_same


class Scanning(Scenarios):
    """Only where the target has a reader (ability ``scan``)."""

    def test_scan_gives_every_record_once(self, target: Target, planted: list[Plant], eye: Witness) -> None:
        """In batches of any size: each record of the witness once, equal to it bit for bit.

        If it fails, look at paging: by offset it loses or repeats rows; and at the last, short page.
        """
        self.declared.need("scan")
        stored = eye.records()
        for batch in (1, 5, 1_000):
            found = [record for page in _reader(target).scan(batch) for record in page]
            assert len(found) == len(stored), f"{len(found)} records of {len(stored)} in pages of {batch}"
            assert_same(stored, {r.id: r for r in found}, f"a scan in pages of {batch}, {len(planted)} planted")

    def test_scan_may_leave_the_vectors_out(self, target: Target, eye: Witness) -> None:
        """With ``vectors=False`` every record comes with its text and metadata all the same.

        If it fails, look at what else the switch leaves out.
        """
        self.declared.need("scan")
        found = {r.id: (r.text, dict(r.metadata or {})) for p in _reader(target).scan(4, vectors=False) for r in p}
        assert found == {id_: (r.text, dict(r.metadata or {})) for id_, r in eye.records().items()}

    def test_ids_are_all_ids(self, target: Target, planted: list[Plant], eye: Witness) -> None:
        """``ids`` gives every record id once, plants included.

        If it fails, look at a default limit of the call you use.
        """
        self.declared.need("scan")
        found = list(_reader(target).ids())
        assert len(found) == len(set(found))
        assert set(found) == set(eye.records()) >= set(ids_of(planted))

    def test_plants_are_all_plants(self, target: Target, planted: list[Plant]) -> None:
        """``plants`` gives the records with the kit's stamp, of every campaign, and none of the owner's.

        If it fails, look at the filter on the kit's key, and at a default limit.
        """
        self.declared.need("scan")
        others = self.sow(target.injector, self.other_plants(target.injector, OTHER_CAMPAIGN))
        found = {r.id: r for r in _reader(target).plants()}
        assert set(found) == set(ids_of([*planted, *others]))
        assert all(found[p.id].metadata == dict(p.metadata) for p in planted)

    def test_the_digest_ignores_plants(self, target: Target, plants: list[Plant]) -> None:
        """The corpus digest is the same with and without plants.

        If it fails, look at how the stamp comes back in a scan.
        """
        self.declared.need("scan")
        before = self._digest(target)
        self.sow(target.injector, plants)
        assert not compare_digests(before, self._digest(target))

    def test_the_digest_sees_every_change(self, store: Any, target: Target) -> None:
        """A changed text, a changed metadata value, a new record and a lost one are each named.

        If it fails, look at fields that a scan leaves out, or reads from a cache.
        """
        self.declared.need("scan")
        first, second, third = self.records()[:3]
        before = self._digest(target)
        self.put(store, [Record(first.id, f"{first.text} ", first.metadata)])
        self.put(store, [Record(second.id, second.text, {**(second.metadata or {}), "page": 77})])
        new = Record(self.own_id("brand-new"), "Brand new.", first.metadata)
        self.put(store, [new])
        self.delete(store, [third.id])
        self.settle()
        found = compare_digests(before, self._digest(target))
        assert found.changed == tuple(sorted([first.id, second.id]))
        assert (found.added, found.vanished) == ((new.id,), (third.id,))

    def test_the_digest_sees_a_changed_vector(self, store: Any, target: Target) -> None:
        """A record with another vector under the same text is named.

        If it fails, look at whether ``scan`` reads the vectors when it is asked to.
        """
        self.declared.need("scan")
        self.declared.need("vectors")
        first = self.records()[0]
        before = self._digest(target)
        self.write(store, [Record(first.id, first.text, first.metadata, self.records()[1].vector)])
        self.settle()
        assert compare_digests(before, self._digest(target)).changed == (first.id,)

    def _digest(self, target: Target) -> CorpusDigest:
        return take_digest(_reader(target), target.injector, target.injector.describe().size)


def _reader(target: Target) -> CorpusReader:
    assert target.reader is not None
    return target.reader
