"""The witness: what the store holds, read through its own client and never through the adapter under test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from darnel.core.corpus import Record
from darnel.core.plant import Plant, read_stamp
from darnel.core.planting.digest import record_digest


class Witness:
    """Reads the container afresh at every call. ``read``: gives every record, with its vector where the store has one."""

    def __init__(self, read: Callable[[], Iterable[Record]]) -> None:
        self._read = read

    def records(self) -> dict[str, Record]:
        """Every record by id; fails where two records share one."""
        found: dict[str, Record] = {}
        for record in self._read():
            assert record.id not in found, f"the store holds two records under the id {record.id!r}"
            found[record.id] = record
        return found

    def digests(self) -> dict[str, bytes]:
        """Record id → digest over id, text, metadata and float32 vector."""
        return digests(self.records().values())

    def owners(self) -> dict[str, bytes]:
        """The same, of the records that carry no stamp of the kit."""
        return digests(r for r in self.records().values() if read_stamp(r.metadata) is None)

    def plants(self) -> dict[str, Record]:
        """The records that carry the kit's stamp, of any campaign."""
        return {id_: r for id_, r in self.records().items() if read_stamp(r.metadata) is not None}

    @contextmanager
    def unchanged(self, during: str = "this test") -> Iterator[None]:
        """Fails where any record differs after the block from what it was before; silent where the block raised."""
        before = self.records()
        yield
        assert_same(before, self.records(), during)


def digests(records: Iterable[Record]) -> dict[str, bytes]:
    """Record id → digest."""
    return {r.id: record_digest(r) for r in records}


def assert_same(before: Mapping[str, Record], after: Mapping[str, Record], during: str) -> None:
    """Compare bit for bit, and name what differs."""
    problem = difference(before, after)
    assert not problem, f"records changed during {during}: {problem}"


def difference(before: Mapping[str, Record], after: Mapping[str, Record]) -> str:
    """What differs between two readings, in a line; empty where nothing does."""
    old, new = digests(before.values()), digests(after.values())
    parts = []
    if added := sorted(new.keys() - old.keys()):
        parts.append(f"added {added[:3]}{' ...' if len(added) > 3 else ''}")
    if gone := sorted(old.keys() - new.keys()):
        parts.append(f"vanished {gone[:3]}{' ...' if len(gone) > 3 else ''}")
    for id_ in sorted(old.keys() & new.keys()):
        if old[id_] != new[id_]:
            parts.append(f"{id_}: {_what(before[id_], after[id_])}")
    return "; ".join(parts[:5])


def assert_holds(found: Mapping[str, Record], plants: Iterable[Plant]) -> None:
    """Each plant is there with exactly its text and its metadata, types included."""
    for plant in plants:
        assert plant.id in found, f"plant {plant.name} ({plant.id}) is not in the store"
        record = found[plant.id]
        want = Record(plant.id, plant.text, plant.metadata, record.vector)
        assert record_digest(record) == record_digest(want), f"plant {plant.name} differs: {_what(want, record)}"


def _what(old: Record, new: Record) -> str:
    if old.text != new.text:
        return f"text {_short(old.text)} became {_short(new.text)}"
    before, after = dict(old.metadata or {}), dict(new.metadata or {})
    for key in sorted({*before, *after}):
        if key not in after:
            return f"metadata key {key!r} is gone"
        if key not in before:
            return f"metadata key {key!r} was added ({_short(after[key])})"
        if repr(before[key]) != repr(after[key]):
            return f"metadata {key!r} was {_short(before[key])}, now {_short(after[key])}"
    return "its vector changed"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:45]}... ({len(text)} characters)"
