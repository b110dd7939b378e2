"""The lists that come back with nothing of ours planted, before and after.

Another run's plants are left out of the lists, but an approximate index that is being changed by it can lose a record for
a moment. So a store's baseline is asked again, a few times, where that could be the reason for what it says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import Listing, ask
from darnel.core.running.run import Run

TRIES = 6
FIRST_PAUSE = 0.1


def ask_baseline(run: Run) -> list[Listing]:
    """Ask every question once; plants of any campaign that happen to be there are left out of the lists."""
    assert run.target.retriever is not None
    deep = run.target.store_search
    depth = run.options.depth if deep else run.options.k - 1
    index, texts = PlantIndex(()), [q.text for q in run.queries]
    start = time.monotonic()
    lists = ask(run.target.retriever, texts, index, [lambda _p: False] * len(texts), depth=depth, deepen=deep)
    run.quickest = min(run.quickest, time.monotonic() - start)
    return lists


def first_baseline(run: Run) -> list[Listing]:
    """The lists before planting; while others' plants are about, asked until two rounds agree."""
    lists = ask_baseline(run)
    if not _others_plant(run):
        return lists
    earlier = [lists]

    def agree(now: Sequence[Listing]) -> bool:
        before, earlier[0] = earlier[0], list(now)
        return _same(run, before, now)

    return _until(run, agree)


def last_baseline(run: Run) -> list[Listing]:
    """The lists after removal; where others' plants are about, one that says something else than before is asked again."""
    lists = ask_baseline(run)
    if _same(run, run.baseline, lists) or not _others_plant(run):
        return lists
    return _until(run, lambda now: _same(run, run.baseline, now))


def _until(run: Run, holds: Callable[[Sequence[Listing]], bool]) -> list[Listing]:
    """Ask again, with pauses that grow, until it holds; in the end whatever was said last."""
    pause = FIRST_PAUSE
    for _ in range(TRIES - 1):
        time.sleep(pause)
        lists = ask_baseline(run)
        if holds(lists):
            break
        pause *= 2
    return lists


def _others_plant(run: Run) -> bool:
    reader = run.target.reader
    return run.target.store_search and reader is not None and bool(reader.plants())


def _same(run: Run, before: Sequence[Listing], after: Sequence[Listing]) -> bool:
    depth = run.options.depth
    return [listing.ids(depth) for listing in before] == [listing.ids(depth) for listing in after]
