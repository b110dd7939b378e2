"""The words of a whole batch as numbers, so that what every text is asked is asked of all at once."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from darnel.core.text import stop_words, words

Numbers = NDArray[np.uint64]
Places = NDArray[np.int64]
Marks = NDArray[np.bool_]

STOP, SLIGHT = 1, 2
"""Bits of a word's number: it is a stop word; it is a number, or shorter than three letters."""
_FLAGS = 2
HASH_BITS = 44
"""Of a triple's hash beside the number of its record, so that both stand in one number and sort together."""
MOST_WORDS = 5_000
"""Words of one text that are held against those of others: enough to tell, and linear in the corpus."""
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


class _Vocabulary(dict[str, int]):
    """Word → number: its CRC-32 and its bits; the same in every process."""

    MOST = 100_000

    def __missing__(self, word: str) -> int:
        if len(self) >= self.MOST:
            self.clear()
        slight = len(word) < 3 or word.isdigit()
        bits = (STOP if word in stop_words() else 0) | (SLIGHT if slight else 0)
        number = self[word] = zlib.crc32(word.encode("utf-8", "replace")) << _FLAGS | bits
        return number


_VOCABULARY = _Vocabulary()
_SPACED = bytes(ord(ch.lower()) if ch.isalnum() or ch == "_" else 32 for ch in map(chr, range(128))) + bytes(
    range(128, 256)
)
"""For bytes of UTF-8: ASCII in lower case, with a space for what is of no word."""


class Tokens:
    """Words of several records, one after the other. ``numbers``: of each word; ``record``: which record it is of."""

    def __init__(self, numbers: Numbers, record: Places, size: int) -> None:
        self.numbers, self.record, self.size = numbers, record, size

    @classmethod
    def of(cls, texts: Sequence[str]) -> Tokens:
        """The words of each text, as ``words`` finds them; at most 2^20 texts, without lone surrogates.

        Arrow parts them and knows equal ones, so that no word becomes an object of Python's but once a batch.
        """
        import pyarrow as pa
        from pyarrow import compute

        held = pa.array([t if t.isascii() else " ".join(words(t)) for t in texts], pa.large_string())
        _, offsets, data = held.buffers()
        spaced = pa.py_buffer(bytes(data or b"").translate(_SPACED))
        parts = compute.ascii_split_whitespace(pa.LargeStringArray.from_buffers(len(held), offsets, spaced))
        met = parts.values.dictionary_encode()
        known = np.fromiter(map(_VOCABULARY.__getitem__, met.dictionary.to_pylist()), np.uint64, len(met.dictionary))
        numbers = known[met.indices.to_numpy()]
        record = np.repeat(np.arange(len(texts)), np.diff(parts.offsets.to_numpy()))
        real = numbers != _VOCABULARY[""]  # blanks before or after a text leave an empty part
        return cls(numbers[real], record[real], len(texts))

    def without(self, bits: int) -> Tokens:
        """Only the words that have none of these bits."""
        kept = (self.numbers & np.uint64(bits)) == 0
        return Tokens(self.numbers[kept], self.record[kept], self.size)

    def first(self, most: int) -> Tokens:
        """The first words of each record."""
        kept = np.arange(len(self.record)) - self.starts[self.record] < most
        return self if kept.all() else Tokens(self.numbers[kept], self.record[kept], self.size)

    @cached_property
    def counts(self) -> Places:
        """Words of each record."""
        return np.bincount(self.record, minlength=self.size)

    @cached_property
    def starts(self) -> Places:
        """Where each record begins."""
        return np.cumsum(self.counts) - self.counts

    @cached_property
    def triples(self) -> tuple[Numbers, Places]:
        """The hash of every three words in a row (64 bits), and its record."""
        inside = self.record[2:] == self.record[:-2]
        return triple_hashes(self.numbers)[inside], self.record[:-2][inside]

    @cached_property
    def keys(self) -> Numbers:
        """Record and triple (44 bits of its hash) in one number, sorted, repeats kept."""
        hashes, record = self.triples
        return np.sort(record.astype(np.uint64) << np.uint64(HASH_BITS) | hashes >> np.uint64(64 - HASH_BITS))

    @cached_property
    def distinct(self) -> Numbers:
        """``keys`` without repeats."""
        return self.keys[first_of_each(self.keys)]

    def runs(self, of: Marks, least: int) -> Marks:
        """Which records have ``least`` marked words in a row."""
        place = np.arange(len(of))
        before = np.maximum(self.starts[self.record] - 1, np.maximum.accumulate(np.where(of, -1, place)))
        found = np.zeros(self.size, np.bool_)
        found[self.record[of & (place - before >= least)]] = True
        return found

    def top_counts(self, most: int) -> Places:
        """For each record, how many words its ``most`` commonest words are."""
        keys = np.sort(self.record.astype(np.uint64) << np.uint64(HASH_BITS) | self.numbers)
        begins = np.flatnonzero(first_of_each(keys))
        lengths = np.diff(begins, append=len(keys))
        record = record_of(keys[begins])
        order = np.lexsort((-lengths, record))
        record, lengths = record[order], lengths[order]
        firsts = np.searchsorted(record, np.arange(self.size))
        kept = np.arange(len(record)) - firsts[record] < most
        return np.bincount(record[kept], weights=lengths[kept], minlength=self.size).astype(np.int64)


def triple_hashes(numbers: Numbers) -> Numbers:
    """The hash of every three numbers in a row; empty where there are fewer."""
    if len(numbers) < 3:
        return numbers[:0]
    one, two, three = (np.uint64(factor) for factor in _FACTORS)
    mixed: Numbers = numbers[:-2] * one + numbers[1:-1] * two + numbers[2:] * three
    mixed ^= mixed >> np.uint64(29)
    mixed *= one
    return mixed


def numbers_of(words: Iterable[str]) -> Numbers:
    """The numbers of some words."""
    return np.fromiter(map(_VOCABULARY.__getitem__, words), np.uint64)


def record_of(keys: Numbers) -> Places:
    """The record of each key."""
    return (keys >> np.uint64(HASH_BITS)).astype(np.int64)


def hash_of(keys: Numbers) -> Numbers:
    """The hash of each key."""
    hashes: Numbers = keys & np.uint64((1 << HASH_BITS) - 1)
    return hashes


def first_of_each(ordered: Numbers) -> Marks:
    """Which of some sorted numbers differ from the one before."""
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


class Runs:
    """Triple hashes, each with how many of them in a row mean something; asked for many at once.

    A table of marks is looked at first, and the sorted hashes only for the few that it knows.
    """

    BITS = 20

    def __init__(self, least: Mapping[int, int]) -> None:
        self._hashes = np.array(sorted(least), np.uint64)
        self._least = np.array([least[int(key)] for key in self._hashes], np.int64)
        self._table = np.zeros(1 << self.BITS, np.bool_)
        self._table[self._slot(self._hashes)] = True

    def _slot(self, hashes: Numbers) -> Places:
        slot: Places = (hashes >> np.uint64(64 - self.BITS)).astype(np.int64)
        return slot

    def within(self, tokens: Tokens) -> Marks:
        """Which records have enough of them in a row."""
        hashes, record = tokens.triples
        places = np.flatnonzero(self._table[self._slot(hashes)])
        at = np.minimum(np.searchsorted(self._hashes, hashes[places]), len(self._hashes) - 1)
        known = self._hashes[at] == hashes[places] if len(self._hashes) else np.zeros(len(places), np.bool_)
        places, least = places[known], self._least[at[known]]
        first = np.ones(len(places), np.bool_)
        first[1:] = (np.diff(places) != 1) | (record[places[1:]] != record[places[:-1]])
        run = np.cumsum(first) - 1
        found = np.zeros(tokens.size, np.bool_)
        found[record[places[np.bincount(run)[run] >= least]]] = True
        return found
