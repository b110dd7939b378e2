"""One darnel at a time on a store's folder; threads of one process share the turn."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from darnel.adapters.folder import FolderLock, others_with_open
from darnel.core.errors import TargetError
from tests.support.command import environment

HOLD = """
import sys, pathlib
from darnel.adapters.folder import FolderLock
FolderLock(pathlib.Path(sys.argv[1]), wait=float(sys.argv[2])).acquire()
print('held', flush=True)
sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), "5"], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    return process


def test_another_process_waits_its_turn_and_gives_up_with_advice(tmp_path: Path) -> None:
    other = holder(tmp_path)
    try:
        with pytest.raises(TargetError, match="another darnel has worked on"):
            FolderLock(tmp_path, wait=0.2).acquire()
        waiting = FolderLock(tmp_path, wait=60)
        threading.Timer(0.3, other.kill).start()  # the lock goes with the process, even by kill -9
        waiting.acquire()
        waiting.release()
    finally:
        other.kill()
        other.wait()


def test_one_process_may_take_it_any_number_of_times(tmp_path: Path) -> None:
    locks = [FolderLock(tmp_path, wait=0.2) for _ in range(3)]
    for lock in locks:
        lock.acquire()
    for lock in locks[:2]:
        lock.release()
        lock.release()
    command = [sys.executable, "-c", HOLD, str(tmp_path), "0.1"]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    assert subprocess.run(command, env=environment(), check=False, **quiet).returncode == 1
    locks[2].release()
    assert subprocess.run(command, env=environment(), check=False, **quiet).returncode == 0


def test_waiting_for_one_folder_holds_up_no_other(tmp_path: Path) -> None:
    (tmp_path / "busy").mkdir()
    other = holder(tmp_path / "busy")
    mine = FolderLock(tmp_path / "free", wait=1)
    mine.acquire()
    waiting = threading.Thread(target=lambda: FolderLock(tmp_path / "busy", wait=60).acquire(), daemon=True)
    waiting.start()
    try:
        done = threading.Thread(
            target=lambda: (mine.release(), FolderLock(tmp_path / "third", wait=1).acquire()), daemon=True
        )
        done.start()
        done.join(20)
        assert not done.is_alive()
        assert waiting.is_alive()
    finally:
        other.kill()
        other.wait()
        waiting.join(30)


def test_nothing_is_put_into_the_folder(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path, wait=1)
    lock.acquire()
    assert list(tmp_path.iterdir()) == []
    lock.release()


def test_nowhere_to_put_the_lock_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "gone"))
    monkeypatch.setattr("os.makedirs", lambda *_a, **_k: None)
    monkeypatch.setattr("pathlib.Path.mkdir", lambda *_a, **_k: None)
    with pytest.raises(TargetError, match="set TMPDIR"):
        FolderLock(tmp_path, wait=1).acquire()


def test_who_has_a_file_open(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    assert others_with_open(path) == []
    program = "import sys; f = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    other = subprocess.Popen([sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        (found,) = others_with_open(path)
        assert found.endswith(f"({other.pid})")
        with path.open():
            assert len(others_with_open(path)) == 1  # not this process
    finally:
        other.kill()
        other.wait()
    assert os.getpid() != other.pid
