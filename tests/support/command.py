"""The command line, in a process of its own or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import darnel

ROOT = Path(__file__).resolve().parents[2]
HASHED = "tests.support.embedder:hashed"


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's, with this checkout and its tests importable."""
    package = Path(darnel.__file__).resolve().parents[1]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DARNEL_", "CHROMA_")) or k == "DARNEL_LEDGER"}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT)]), **(extra or {})}


def start(args: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """``python -m darnel`` with pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "darnel", *args],
        cwd=cwd,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def finish(process: subprocess.Popen[str], timeout: float = 120) -> Outcome:
    out, err = process.communicate(timeout=timeout)
    return Outcome(process.returncode, out, err)


def darnel_process(args: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> Outcome:
    """Run it to its end."""
    return finish(start(args, cwd, env))
