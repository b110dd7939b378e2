"""Removal that is proved: read, remove what is still ours, read again, until gone or given up and named."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from typing import Literal

from darnel.core.corpus import CorpusInjector, Record
from darnel.core.errors import describe_error
from darnel.core.plant import content_digest, read_stamp
from darnel.core.planting.batches import chunks
from darnel.core.planting.waiting import FIRST_PAUSE, LONGEST_PAUSE, READ_CHUNK, read_all

SETTLE = 1.0
"""Seconds to watch for a late write after an inject whose outcome was unknown."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A plant whose removal could not be proved. ``changed``: somebody edited it, so it was left alone."""

    id: str
    state: Literal["leftover", "changed"]
    reason: str


@dataclass(frozen=True, slots=True)
class Removal:
    """What a removal came to; every id asked for is in one of the two."""

    removed: frozenset[str]
    leftovers: tuple[Leftover, ...]
    delay: float


def remove_proved(
    injector: CorpusInjector,
    campaign: str,
    ids: Collection[str],
    *,
    deadline: float,
    unsure: Set[str] = frozenset(),
    watch: float = SETTLE,
) -> Removal:
    """Remove plants by id and read back until they are gone, for up to ``deadline`` seconds.

    Args:
        injector: the corpus.
        campaign: whose plants these are; a record stamped by another is not touched.
        ids: the plants.
        deadline: seconds after which what is still there, or unreadable, is a leftover.
        unsure: ids that were sent but never seen; their write may land late.
        watch: seconds to go on looking for those.
    """
    started = time.monotonic()
    pending, changed = set(ids), dict[str, Leftover]()
    problem, pause = "still readable after its removal", FIRST_PAUSE
    while True:
        try:
            due = pending | (set(unsure) - changed.keys())
            pending, edited, failed = _remove_once(injector, campaign, due, due & unsure)
            changed.update(edited)
            problem = failed or problem
        except Exception as error:  # the store's; tried again until the deadline
            problem = describe_error(error)
        elapsed = time.monotonic() - started
        watching = bool(unsure) and elapsed < watch
        if (pending and elapsed >= deadline) or not (pending or watching):
            break
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)
    left = [Leftover(id_, "leftover", problem) for id_ in sorted(pending)]
    left += [changed[id_] for id_ in sorted(changed)]
    gone = frozenset(ids) - {item.id for item in left}
    return Removal(gone, tuple(left), time.monotonic() - started)


def _remove_once(
    injector: CorpusInjector, campaign: str, due: Set[str], unsure: Set[str]
) -> tuple[set[str], dict[str, Leftover], str | None]:
    """Read, remove what is ours, read again; returns the ids still there, those somebody edited, and what was raised.

    What was sent and is not seen is removed too: a store may have queued the write, and shows it only after the next one.
    A store that refuses some is still asked to remove the others.
    """
    found = read_all(injector, sorted(due))
    ours, edited = sort_out(found, campaign)
    going, problem = sorted(ours | (unsure - found.keys())), None
    for chunk in chunks(going, READ_CHUNK):
        try:
            injector.remove(chunk)
        except Exception as error:  # the store's
            problem = describe_error(error)
            read_all(injector, chunk)  # raises as well where the store is away altogether
    return set(read_all(injector, going)), edited, problem


def sort_out(found: Mapping[str, Record], campaign: str) -> tuple[set[str], dict[str, Leftover]]:
    """Which of the records found are our plants as they were written, and which were edited since.

    A record is as it was written where its content still has the digest in its own stamp.
    """
    ours: set[str] = set()
    changed: dict[str, Leftover] = {}
    for id_, record in found.items():
        stamp = read_stamp(record.metadata)
        if stamp is None or stamp.campaign != campaign:
            changed[id_] = Leftover(id_, "changed", "the record no longer carries this campaign's stamp; left alone")
        elif not content_digest(record.text, record.metadata).startswith(stamp.digest):
            changed[id_] = Leftover(id_, "changed", "edited since it was planted; left alone")
        else:
            ours.add(id_)
    return ours, changed
