"""Fingerprint of the owner's records, taken before and after, so that "nothing else changed" is proved, not assumed.

Covers ids, texts, metadata and float32 vectors of every record that is not a plant. What it compares is the logical
state: a store may keep dead rows in its files, which no reader sees.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from darnel.core.corpus import CorpusInjector, CorpusReader, Record
from darnel.core.plant import content_digest, read_stamp
from darnel.core.planting.waiting import read_all

FULL_UP_TO = 20_000
"""Records up to which the digest is taken in full unless ``full`` is asked for."""
SAMPLE = 2_000


@dataclass(frozen=True, slots=True)
class CorpusDigest:
    """One fingerprint. ``kind`` sample: ``count`` plus a seeded sample of ``len(records)`` records.

    ``records`` maps each record id covered to its own 16-byte digest, so that a difference can be named.
    """

    kind: Literal["full", "sample"]
    count: int
    value: str
    records: Mapping[str, bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class DigestDifference:
    """What differs between two fingerprints, by record id; ``count`` is the change in the number of records."""

    added: tuple[str, ...]
    vanished: tuple[str, ...]
    changed: tuple[str, ...]
    count: int

    def __bool__(self) -> bool:
        return bool(self.added or self.vanished or self.changed or self.count)


def take_digest(
    reader: CorpusReader,
    injector: CorpusInjector,
    size: int,
    *,
    full: bool = False,
    seed: int = 0,
    like: CorpusDigest | None = None,
) -> CorpusDigest:
    """Fingerprint the corpus; with ``like``, in the same way and over the same sample as an earlier one."""
    whole = like.kind == "full" if like else full or size <= FULL_UP_TO
    if whole:
        records = {r.id: record_digest(r) for batch in reader.scan() for r in batch if read_stamp(r.metadata) is None}
        return CorpusDigest("full", len(records), _combine(records), records)
    ids = reader.ids()
    plants = {r.id for r in reader.plants()}
    own = [i for i in ids if i not in plants]
    chosen: Iterable[str] = like.records if like else random.Random(seed).sample(sorted(own), min(SAMPLE, len(own)))
    found = read_all(injector, sorted(chosen), vectors=True)
    records = {id_: record_digest(record) for id_, record in found.items()}
    return CorpusDigest("sample", len(own), _combine(records), records)


def compare_digests(before: CorpusDigest, after: CorpusDigest) -> DigestDifference:
    """Name what differs; a sample names changed and vanished records of the sample, and the change in count."""
    ids_before, ids_after = before.records.keys(), after.records.keys()
    changed = [i for i in ids_before & ids_after if before.records[i] != after.records[i]]
    return DigestDifference(
        added=tuple(sorted(ids_after - ids_before)),
        vanished=tuple(sorted(ids_before - ids_after)),
        changed=tuple(sorted(changed)),
        count=after.count - before.count,
    )


def record_digest(record: Record) -> bytes:
    """16 bytes over id, text, metadata and the float32 bytes of the vector."""
    hashed = hashlib.blake2b(digest_size=16)
    hashed.update(f"{len(record.id)}:{record.id}".encode("utf-8", "surrogatepass"))
    hashed.update(content_digest(record.text, record.metadata).encode())
    hashed.update(b"-" if record.vector is None else _float32(record.vector))
    return hashed.digest()


def _float32(vector: Any) -> bytes:
    if isinstance(vector, Mapping):  # named vectors, dense or sparse
        return b"".join(f"{k}=".encode() + _float32(vector[k]) for k in sorted(vector))
    import numpy as np

    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def _combine(records: Mapping[str, bytes]) -> str:
    hashed = hashlib.sha256()
    for id_ in sorted(records):
        hashed.update(records[id_])
    return hashed.hexdigest()


def sample_records(reader: CorpusReader, injector: CorpusInjector, count: int, seed: int = 0) -> Sequence[Record]:
    """Up to ``count`` of the owner's records, drawn by seed, with their vectors."""
    ids = sorted(reader.ids())
    drawn = random.Random(seed).sample(ids, min(2 * count, len(ids)))
    found = read_all(injector, drawn, vectors=True)
    own = [found[i] for i in drawn if i in found and read_stamp(found[i].metadata) is None]
    return own[:count]
