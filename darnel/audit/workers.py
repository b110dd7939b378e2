"""More than one core: processes that each look at whole batches, and at the end hand back what their detectors have kept.

Findings do not depend on which batch went where: what is told of a record is told from it alone, and what is kept between
batches (counts, sketches, pieces) is merged whatever the order.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from darnel.audit.batch import Batch, arrow, schema
from darnel.audit.detector import Context, Detector, keeps_something
from darnel.audit.registry import make_detectors
from darnel.audit.running import Running
from darnel.core.errors import DarnelError

WARM = 20_000
"""Records after which it pays to start processes, which takes about half a second of each."""
WAITING = 2
"""Batches that a process may have before it: one at work, one at hand."""


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Team:
    """Detectors that look at batches here, and from the ``WARM`` th record on those that ``split`` in ``jobs`` processes.

    A context manager; whatever happens, its processes are ended.
    """

    def __init__(self, detectors: Sequence[Detector], context: Context, jobs: int) -> None:
        self._all, self._context, self._jobs = detectors, context, jobs
        self._split = [d for d in detectors if jobs > 1 and context.embed is None and getattr(d, "splits", False)]
        self._here = [d for d in detectors if d not in self._split]
        self._seen = 0
        self._waiting: dict[Connection, int] = {}
        self._processes: list[Any] = []

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._waiting:
            connection.close()
        for process in self._processes:
            process.join(1)
            if process.is_alive():
                process.kill()
                process.join()
        self._waiting = {}

    def look(self, batch: Batch, state: Running) -> None:
        """The first pass over a batch.

        Raises:
            DarnelError: one of the processes has died.
        """
        self._seen += len(batch)
        if self._split and self._seen > WARM and not self._processes:
            self._start()
        if not self._processes:
            state.look(self._all, batch)
            return
        self._send(batch, state)
        state.look(self._here, batch)

    def gather(self, state: Running) -> None:
        """Wait for every batch, and merge what each process has kept; after this the detectors here know all.

        Raises:
            DarnelError: one of the processes has died.
        """
        while any(self._waiting.values()):
            self._receive(state)
        mine = {d.name: d for d in self._split}
        for connection in list(self._waiting):
            connection.send(None)
            for name, theirs in self._from(connection):
                mine[name].merge(theirs)  # type: ignore[attr-defined]  # one that splits has it
            del self._waiting[connection]
            connection.close()

    def _start(self) -> None:
        spawning, names = get_context("spawn"), [d.name for d in self._split]
        for _ in range(self._jobs):
            ours, theirs = spawning.Pipe()
            process = spawning.Process(target=_serve, args=(theirs, names, self._context), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._waiting[ours] = 0

    def _send(self, batch: Batch, state: Running) -> None:
        while min(self._waiting.values()) >= WAITING:
            self._receive(state)
        free = min(self._waiting, key=self._waiting.__getitem__)
        try:
            free.send((batch.arrow.serialize().to_pybytes(), batch.source))
        except OSError:
            raise _died() from None
        self._waiting[free] += 1

    def _receive(self, state: Running) -> None:
        busy = [connection for connection, waiting in self._waiting.items() if waiting]
        for connection in wait(busy):
            assert isinstance(connection, Connection)
            findings, broken = self._from(connection)
            self._waiting[connection] -= 1
            state.findings += findings
            for name, why in broken:
                state.break_down(name, why)

    @staticmethod
    def _from(connection: Connection) -> Any:
        try:
            return connection.recv()
        except (EOFError, OSError):
            raise _died() from None


def _died() -> DarnelError:
    return DarnelError("a process of the audit has died, perhaps for want of memory; try --jobs 1")


def _serve(connection: Connection, names: Sequence[str], context: Context) -> None:
    """A process's life: batches in, findings out, and at the end the detectors that have kept something."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started it
    library, columns, detectors = arrow(), schema(), make_detectors(names, context)
    broken: dict[str, str] = {}
    try:
        while (message := connection.recv()) is not None:
            data, source = message
            batch = Batch(library.ipc.read_record_batch(library.py_buffer(data), columns), source)
            state = Running()
            state.look([d for d in detectors if d.name not in broken], batch)
            broken |= state.broken
            connection.send((state.findings, list(state.broken.items())))
        connection.send([(d.name, d) for d in detectors if keeps_something(d)])
    except (EOFError, OSError):
        return  # nobody is there any more
