"""Wait, with a deadline, until a store shows what was written."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from darnel.core.corpus import CorpusInjector, Record, VectorReader
from darnel.core.errors import DarnelError, TargetError
from darnel.core.plant import Plant, read_stamp
from darnel.core.planting.batches import chunks

READ_CHUNK = 1_000
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 0.5
TRIES = 4
"""How often a store is read before its error counts: one that another writer is changing can fail in a moment's read."""

T = TypeVar("T")


def steadily(read: Callable[[], T]) -> T:
    """What ``read`` gives, tried again after a pause where a store raises; for reads only, whatever they cost but once.

    Chroma, for one, fails a read with "Error finding id" while another client deletes. Refusals of the kit's own are
    final and pass through at once, as the last error of the store does.
    """
    pause = 0.1
    for _ in range(TRIES - 1):
        try:
            return read()
        except Exception as error:  # the store's
            if isinstance(error, DarnelError) and type(error) is not TargetError:
                raise
        time.sleep(pause)
        pause *= 2
    return read()


def read_all(injector: CorpusInjector, ids: Sequence[str], *, vectors: bool = False) -> dict[str, Record]:
    """Read by id in chunks, with vectors where they are asked for; whatever the store raises passes through."""
    read = injector.read_vectors if vectors and isinstance(injector, VectorReader) else injector.read
    found: dict[str, Record] = {}
    for chunk in chunks(ids, READ_CHUNK):
        found.update(read(chunk))
    return found


def shows(found: Mapping[str, Record], plant: Plant) -> bool:
    """Whether the store shows this very plant: its stamp and its text, not an older or a foreign version."""
    record = found.get(plant.id)
    if record is None or record.text != plant.text:
        return False
    stamp = read_stamp(record.metadata)
    return stamp is not None and stamp.campaign == plant.campaign and stamp.digest == plant.digest[:16]


def await_visible(injector: CorpusInjector, plants: Sequence[Plant], within: float) -> tuple[frozenset[str], float]:
    """Poll until every plant is shown, or for ``within`` seconds; returns the ids shown and the seconds it took.

    A read that raises counts as not shown and is tried again until the deadline.
    """
    started = time.monotonic()
    waiting = {p.id: p for p in plants}
    visible: set[str] = set()
    pause = FIRST_PAUSE
    while True:
        try:
            found = read_all(injector, list(waiting))
        except Exception:  # a store that cannot be read now may be in a moment; the deadline decides
            found = {}
        visible |= (now := {id_ for id_, plant in waiting.items() if shows(found, plant)})
        for id_ in now:
            del waiting[id_]
        elapsed = time.monotonic() - started
        if not waiting or elapsed >= within:
            return frozenset(visible), elapsed
        time.sleep(min(pause, max(0.0, within - elapsed)))
        pause = min(pause * 2, LONGEST_PAUSE)
