"""Memory corpora that misbehave the way stores do."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from darnel.adapters.memory import MemoryCorpus, Ranker
from darnel.core.corpus import CorpusDescription, Record, Reply
from darnel.core.plant import Plant


class FaultyCorpus(MemoryCorpus):
    """A memory corpus with small batches that says it outlives this process, and counts what reaches it."""

    max_batch = 2

    def __init__(self, records: Sequence[Record] = (), ranker: Ranker | None = None) -> None:
        super().__init__(records, ranker=ranker)
        self.injected: list[list[str]] = []
        self.removed: list[list[str]] = []

    def describe(self) -> CorpusDescription:
        said = super().describe()
        return replace(said, max_batch=self.max_batch, capabilities=replace(said.capabilities, volatile=False))

    def inject(self, plants: Sequence[Plant]) -> None:
        self.injected.append([p.id for p in plants])
        super().inject(plants)

    def remove(self, ids: Sequence[str]) -> None:
        self.removed.append(list(ids))
        super().remove(ids)


class SilentCorpus(FaultyCorpus):
    """Says it wrote, and wrote nothing."""

    def inject(self, plants: Sequence[Plant]) -> None:
        self.injected.append([p.id for p in plants])


class WritesThenRaises(FaultyCorpus):
    """Writes and then raises, as a client whose request timed out."""

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        raise TimeoutError("no answer within 5 s")


class RaisesOnBatch(FaultyCorpus):
    """Raises on the batch of that number (from 1), before it wrote anything of it."""

    def __init__(self, records: Sequence[Record], number: int) -> None:
        super().__init__(records)
        self.number = number

    def inject(self, plants: Sequence[Plant]) -> None:
        if len(self.injected) + 1 == self.number:
            raise ConnectionError("reset by peer")
        super().inject(plants)


class NeverRemoves(FaultyCorpus):
    """Says it removed, and removed nothing."""

    def remove(self, ids: Sequence[str]) -> None:
        self.removed.append(list(ids))


class CannotRemove(FaultyCorpus):
    """Raises on every removal."""

    def remove(self, ids: Sequence[str]) -> None:
        raise PermissionError("read-only user")


class SlowCorpus(FaultyCorpus):
    """Shows what was written only ``delay`` seconds later, to readers, searches and removals alike."""

    max_batch = 1_000

    def __init__(self, records: Sequence[Record], delay: float) -> None:
        super().__init__(records)
        self.delay = delay
        self.waiting: list[tuple[float, list[Plant]]] = []

    def inject(self, plants: Sequence[Plant]) -> None:
        self.injected.append([p.id for p in plants])
        self.waiting.append((time.monotonic() + self.delay, list(plants)))

    def land(self) -> None:
        """What is due becomes visible."""
        due = [plants for at, plants in self.waiting if at <= time.monotonic()]
        self.waiting = [(at, plants) for at, plants in self.waiting if at > time.monotonic()]
        for plants in due:
            MemoryCorpus.inject(self, plants)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        self.land()
        return super().read(ids)

    def remove(self, ids: Sequence[str]) -> None:
        self.land()
        super().remove(ids)

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        self.land()
        return super().retrieve(queries, k)


class CallsBack(FaultyCorpus):
    """Calls a function at a chosen moment: after ``inject``, or on ``retrieve`` once something is planted."""

    def __init__(self, records: Sequence[Record], when: str, call: Callable[[], None]) -> None:
        super().__init__(records)
        self.when, self.call = when, call

    def inject(self, plants: Sequence[Plant]) -> None:
        super().inject(plants)
        if self.when == "inject":
            self.call()

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        if self.when == "retrieve" and self.injected:
            self.call()
        return super().retrieve(queries, k)
