"""Cut plants into batches that a store accepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from darnel.core.corpus import CorpusDescription
from darnel.core.errors import PlantError
from darnel.core.plant import Plant, check_plant

T = TypeVar("T")

VECTOR_BYTES = 24
"""Upper bound of one vector component in JSON, the largest form it travels in."""


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Consecutive slices of up to ``size`` items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def batches(plants: Sequence[Plant], where: CorpusDescription) -> Iterator[list[Plant]]:
    """Plants in order, each batch within the store's limits of count and of bytes (text, metadata and vector).

    Raises:
        PlantError: before anything is yielded, what ``check_sizes`` does.
    """
    check_sizes(plants, where)
    vector = (where.dimension or 0) * VECTOR_BYTES
    sizes = [plant.size + vector for plant in plants]
    batch: list[Plant] = []
    total = 0
    for plant, size in zip(plants, sizes, strict=True):
        if batch and (len(batch) >= where.max_batch or total + size > where.max_batch_bytes):
            yield batch
            batch, total = [], 0
        batch.append(plant)
        total += size
    if batch:
        yield batch


def check_sizes(plants: Iterable[Plant], where: CorpusDescription) -> None:
    """Refuse plants that no batch could hold, or no store would keep as they are.

    Raises:
        PlantError: one alone is over a limit of the store, or holds NUL or lone surrogates.
    """
    vector = (where.dimension or 0) * VECTOR_BYTES
    for plant in plants:
        check_plant(plant)
        _check_size(plant, plant.size + vector, where)


def _check_size(plant: Plant, total: int, where: CorpusDescription) -> None:
    text = len(plant.text.encode())
    if where.max_text_bytes is not None and text > where.max_text_bytes:
        raise PlantError(
            f"plant {plant.name} has {text:,} bytes of text and {where.backend} takes {where.max_text_bytes:,}; "
            "lower the strength or shorten the query"
        )
    if total > where.max_batch_bytes:
        raise PlantError(
            f"plant {plant.name} alone is {total:,} bytes and {where.backend} takes {where.max_batch_bytes:,} a request; "
            "lower the strength or shorten the query"
        )
