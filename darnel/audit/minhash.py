"""Which texts share many word triples: MinHash of whole batches, in memory of a known size."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from darnel.audit.tokens import Numbers, hash_of, numbers_of, record_of, triple_hashes

if TYPE_CHECKING:
    from darnel.audit.batch import Batch

Bands = NDArray[np.uint32]
Shingles = Numbers
BANDS, ROWS = 16, 4
"""Of the MinHash: two texts meet where all rows of a band agree; at ``LIKE`` two of three pairs do, at 0.7 all but one of a
hundred. A record's sketch takes 80 bytes."""
FEWEST_SHINGLES = 12
MOST_SHINGLES = 5_000
"""Word triples of one text that are looked at: enough to tell, and linear in the corpus."""
MOST_CANDIDATES = 50_000
"""Texts whose triples are held (about 1 KB each) to verify them; where more meet others, these are drawn of them."""
NEIGHBOURS = 10
"""Of a text in each band: where hundreds agree, each is compared with the next few, and the chain joins them all."""


@dataclass(frozen=True, slots=True)
class Sketches:
    """What is kept of some texts, one a row: a hash of the text, one of its set of triples, and its bands."""

    texts: Numbers
    sets: Numbers
    bands: Bands


def sketched(batch: Batch) -> Sketches:
    """The sketches of a batch's texts; those with too few triples are left out."""
    keys = batch.tokens.first(MOST_SHINGLES + 2).distinct
    counts = np.bincount(record_of(keys), minlength=len(batch))
    enough = np.flatnonzero(counts >= FEWEST_SHINGLES)
    hashes = hash_of(keys)
    if not len(enough):
        return Sketches(hashes[:0], hashes[:0], np.zeros((0, BANDS), np.uint32))
    present = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[present]
    kept = np.isin(present, enough)
    sets = np.add.reduceat(_mixed(hashes), starts)[kept]
    bands = np.stack([_band(hashes, starts, band) for band in range(BANDS)], axis=1)[kept]
    texts = np.array([text_hash(batch.entries[number].text) for number in enough], np.uint64)
    return Sketches(texts, sets, bands)


def _band(hashes: Numbers, starts: NDArray[np.int64], band: int) -> NDArray[np.uint32]:
    """The rows of one band, each the least of its permutation, mixed into one number a text."""
    short = hashes.astype(np.uint32)
    found = np.zeros(len(starts), np.uint64)
    for factor, shift in _permutations()[band * ROWS : (band + 1) * ROWS]:
        least = np.minimum.reduceat(short * factor + shift, starts)
        found = _mixed(found + least)
    return (found >> np.uint64(32)).astype(np.uint32)


@cache
def _permutations() -> list[tuple[np.uint32, np.uint32]]:
    drawn = np.random.default_rng(0)
    factors = drawn.integers(1 << 31, size=BANDS * ROWS, dtype=np.uint32) * 2 + 1
    shifts = drawn.integers(1 << 31, size=BANDS * ROWS, dtype=np.uint32)
    return [(np.uint32(factor), np.uint32(shift)) for factor, shift in zip(factors, shifts, strict=True)]


def _mixed(numbers: Numbers) -> Numbers:
    """Each number scattered over 64 bits (the finish of splitmix64)."""
    out = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ out >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return out ^ out >> np.uint64(31)


def joined(parts: Sequence[Sketches]) -> Sketches:
    """Several as one."""
    if not parts:
        return Sketches(np.zeros(0, np.uint64), np.zeros(0, np.uint64), np.zeros((0, BANDS), np.uint32))
    return Sketches(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("texts", "sets", "bands")))


def meeting(sketches: Sketches) -> dict[int, set[int]]:
    """For each set of triples that agrees with others in a band, those others."""
    sets, first = np.unique(sketches.sets, return_index=True)
    pairs = [_pairs(sketches.bands[first, band]) for band in range(BANDS)]
    one, two = (np.concatenate(side) for side in zip(*pairs, strict=True))
    chosen = np.unique(np.concatenate([one, two]))[:MOST_CANDIDATES]
    inside = np.isin(one, chosen) & np.isin(two, chosen)
    near: dict[int, set[int]] = {}
    for a, b in zip(sets[one[inside]].tolist(), sets[two[inside]].tolist(), strict=True):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    return near


def _pairs(values: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of equal values, each with the next few; the order is that of the sets, whatever order they came in."""
    order = np.argsort(values, kind="stable")
    found = [
        (order[:-step][same], order[step:][same])
        for step in range(1, min(NEIGHBOURS + 1, len(order)))
        if len(same := values[order[:-step]] == values[order[step:]]) and same.any()
    ]
    empty = np.zeros(0, np.int64)
    one, two = zip(*found, strict=True) if found else ((empty,), (empty,))
    return np.concatenate(one), np.concatenate(two)


def shingles_of(tokens: Sequence[str]) -> Shingles:
    """Distinct hashes of the word triples, sorted; the same in every process, so that findings are too."""
    return np.unique(triple_hashes(numbers_of(tokens[: MOST_SHINGLES + 2])))


def text_hash(text: str) -> int:
    """64 bits of a text, the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
