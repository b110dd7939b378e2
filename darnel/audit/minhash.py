"""Which texts share many word triples: MinHash of whole batches, in memory of a known size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from darnel.audit.tokens import (
    HASH_BITS,
    MOST_WORDS,
    Numbers,
    first_of_each,
    hash_of,
    numbers_of,
    record_of,
    triple_hashes,
)

if TYPE_CHECKING:
    from darnel.audit.batch import Batch

Bands = NDArray[np.uint32]
Shingles = Numbers
BANDS, ROWS = 16, 4
BINS = BANDS * ROWS
"""Of the MinHash: two texts meet where all rows of a band agree; at ``LIKE`` two of three pairs do, at 0.7 all but one of a
hundred. A record's sketch takes 80 bytes."""
FEWEST_SHINGLES = 12
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
    keys = batch.shingles
    counts = np.bincount(record_of(keys), minlength=len(batch))
    enough = np.flatnonzero(counts >= FEWEST_SHINGLES)
    if not len(enough):
        return Sketches(keys[:0], keys[:0], np.zeros((0, BANDS), np.uint32))
    present = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[present]
    sets = np.add.reduceat(mixed(hash_of(keys)), starts)[np.isin(present, enough)]
    return Sketches(batch.digests[enough], sets, _bands(_least(keys, len(batch))[enough]))


def _least(keys: Numbers, size: int) -> Numbers:
    """The least hash in each bin of each record (one-permutation hashing): one sort of the keys serves every row of every band.

    A bin that holds nothing takes that of another, the first in an order of its own that holds something; so the bands of a
    short text differ as those of a long one do. All zero where a record has no key.
    """
    slots = keys >> np.uint64(HASH_BITS - BINS.bit_length() + 1)
    first = np.flatnonzero(first_of_each(slots))
    least, held = np.zeros((size, BINS), np.uint64), np.zeros((size, BINS), np.bool_)
    at = slots[first].astype(np.int64)
    least.flat[at], held.flat[at] = hash_of(keys[first]), True
    record, empty = np.nonzero(~held)
    orders = _orders()[empty]
    lender = orders[np.arange(len(empty)), held[record[:, None], orders].argmax(axis=1)]
    least[record, empty] = least[record, lender]
    return least


@cache
def _orders() -> NDArray[np.int64]:
    """For each bin, all in an order drawn for it."""
    return np.random.default_rng(0).permuted(np.tile(np.arange(BINS), (BINS, 1)), axis=1)


def _bands(least: Numbers) -> Bands:
    """The rows of each band mixed into one number."""
    found = np.zeros((len(least), BANDS), np.uint64)
    for row in range(ROWS):
        found = mixed(found + least[:, row * BANDS : (row + 1) * BANDS])
    return (found >> np.uint64(32)).astype(np.uint32)


def mixed(numbers: Numbers) -> Numbers:
    """Each number scattered over 64 bits (the finish of splitmix64)."""
    out = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ out >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return out ^ out >> np.uint64(31)


def meeting(parts: Sequence[Sketches]) -> Numbers:
    """Pairs of sets of triples that agree in a band: shape (pairs, 2), each pair once, in an order that is the sets' own."""
    if not parts:
        return np.zeros((0, 2), np.uint64)
    sets, first = np.unique(np.concatenate([part.sets for part in parts]), return_index=True)
    met = np.zeros(len(sets), np.bool_)
    for band in range(BANDS):
        values = _column(parts, band)[first]
        order = np.argsort(values, kind="stable")
        same = np.flatnonzero(values[order[1:]] == values[order[:-1]])
        met[order[same]] = met[order[same + 1]] = True
    chosen = np.flatnonzero(met)[:MOST_CANDIDATES]
    pairs = np.zeros(0, np.uint64)
    for band in range(BANDS):  # one by one: only what is new is kept of each
        pairs = np.union1d(pairs, _pairs(_column(parts, band)[first[chosen]]))
    return sets[chosen][np.stack(unpacked(pairs), axis=1)]


def _column(parts: Sequence[Sketches], band: int) -> NDArray[np.uint32]:
    return np.concatenate([part.bands[:, band] for part in parts])


def _pairs(values: NDArray[np.uint32]) -> Numbers:
    """Places of equal values, each with the next few, packed."""
    order = np.argsort(values, kind="stable")
    found = [np.zeros(0, np.uint64)]
    for step in range(1, min(NEIGHBOURS + 1, len(order))):
        same = values[order[:-step]] == values[order[step:]]
        found.append(packed(order[:-step][same], order[step:][same]))
    return np.concatenate(found)


def packed(one: NDArray[np.int64], two: NDArray[np.int64]) -> Numbers:
    """Two places, the lesser first, in one number each."""
    pair: Numbers = np.minimum(one, two).astype(np.uint64) << np.uint64(32) | np.maximum(one, two).astype(np.uint64)
    return pair


def unpacked(pairs: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places that ``packed`` packed."""
    return (pairs >> np.uint64(32)).astype(np.int64), (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)


def shingles_of(tokens: Sequence[str]) -> Shingles:
    """Distinct hashes of the word triples, sorted; the same in every process, so that findings are too."""
    return np.unique(triple_hashes(numbers_of(tokens[:MOST_WORDS])))


def known_of(wanted: Numbers, digests: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of some digests are wanted ones, and their places among those, which are sorted."""
    if not len(wanted):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at = np.minimum(np.searchsorted(wanted, digests), len(wanted) - 1)
    known = np.flatnonzero(wanted[at] == digests)
    return known, at[known]
