"""Stores in a folder: one darnel at a time, and a look at who else has it open."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any

from darnel.core.errors import TargetError


class _Shared:
    """One lock file as this process holds it; ``gate`` guards the count of its users."""

    def __init__(self) -> None:
        self.gate = threading.Lock()
        self.users = 0
        self.lock: Any = None


_held: defaultdict[Path, _Shared] = defaultdict(_Shared)


class FolderLock:
    """Lets one darnel process at a time into a store's folder; the others wait.

    The lock file lies in the system's temporary folder, never in the store's, and goes with the process that held it.
    Within one process it may be taken any number of times.
    """

    def __init__(self, path: Path, *, wait: float) -> None:
        self.path, self._wait = path, wait
        name = hashlib.sha256(str(path).encode()).hexdigest()[:24]
        user = os.getuid() if hasattr(os, "getuid") else 0
        self._file = Path(tempfile.gettempdir()) / f"darnel-{user}-{name}.lock"
        self._taken = False

    def acquire(self) -> None:
        """Take it.

        Raises:
            TargetError: another darnel still holds it after ``wait`` seconds, or there is nowhere to put it.
        """
        shared = _held[self._file]
        with shared.gate:
            if not shared.users:
                shared.lock = self._lock()
            shared.users += 1
            self._taken = True

    def _lock(self) -> Any:
        import filelock

        lock = filelock.FileLock(self._file, mode=0o600, thread_local=False)
        try:
            lock.acquire(timeout=self._wait, poll_interval=0.1)
        except filelock.Timeout:
            raise TargetError(
                f"another darnel has worked on {self.path} for {self._wait:.0f} s; wait for it, or stop it and run: "
                "darnel sweep"
            ) from None
        except OSError as error:
            raise TargetError(f"cannot lock {self.path} by {self._file}: {error.strerror}; set TMPDIR") from None
        return lock

    def release(self) -> None:
        """Give it back; safe to call twice."""
        shared = _held[self._file]
        with shared.gate:
            if not self._taken:
                return
            self._taken = False
            shared.users -= 1
            if not shared.users:
                shared.lock.release()


def refuse_locked(file: Path, *, wait: float) -> None:
    """Refuse a SQLite file that another process keeps locked for more than ``wait`` seconds; nothing is written.

    To be called while nothing in this process has the file open: two SQLite libraries in one process break each other's
    locks.

    Raises:
        TargetError: it is locked; says by whom, where that can be seen.
    """
    import sqlite3

    try:
        with closing(
            sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=wait, isolation_level=None)
        ) as probe:
            probe.execute("BEGIN IMMEDIATE")
            probe.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error):  # whatever else is wrong with it, its own client says
            return
        others = ", ".join(others_with_open(file)) or "another process"
        raise TargetError(
            f"{others} keeps {file} locked, and opening it would wait for as long; stop it, or serve the folder and give "
            "the server's URL"
        ) from None
    except sqlite3.DatabaseError:
        return


def others_with_open(file: Path) -> list[str]:
    """Other processes that have a file open, as ``name (pid)``; those of other users may not be seen.

    Processes that hold darnel's own lock are left out: they take turns.
    """
    import psutil

    found = []
    for process in psutil.process_iter(["pid", "name"]):
        if process.pid == os.getpid():
            continue
        try:
            opened = {Path(o.path) for o in process.open_files()}
        except (psutil.Error, OSError):
            continue
        if file in opened and not any(p.name.startswith("darnel-") and p.suffix == ".lock" for p in opened):
            found.append(f"{process.info['name']} ({process.pid})")
    return found
