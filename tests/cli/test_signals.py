"""Ctrl-C, SIGTERM and SIGHUP against a real ``darnel run`` in a process of its own."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import chroma
from tests.support.command import HASHED, finish, start

LONG = [
    "--embedder",
    HASHED,
    "--isolation",
    "query",
    "-p",
    "flood:3",
    "-p",
    "echo:1",
    "-p",
    "echo:2",
    "-p",
    "keywords:2",
    "-p",
    "answer:1",
    "--visible-within",
    "2",
    "--json",
]


def wait_until(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    while not ready():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def planted(ledger: Path, *states: str) -> bool:
    """Whether the process has plants in one of these states: announced or seen, unless given."""
    if not ledger.exists():
        return False
    db = sqlite3.connect(ledger)
    try:
        found = {row[0] for row in db.execute("SELECT DISTINCT state FROM plant")}
        return bool(found.intersection(states or ("writing", "written")))
    except sqlite3.OperationalError:
        return False
    finally:
        db.close()


@pytest.mark.parametrize(
    ("number", "over"),
    [(signal.SIGINT, "folder"), (signal.SIGTERM, "folder"), (signal.SIGTERM, "http"), (signal.SIGHUP, "http")],
)
def test_a_signal_ends_the_run_cleanly(request: pytest.FixtureRequest, tmp_path: Path, number: int, over: str) -> None:
    questions = tmp_path / "many.txt"
    questions.write_text("".join(f"How do flour and yeast go with question {i}?\n" for i in range(8)))
    if over == "http":
        spec, collection = request.getfixturevalue("served")
        before = chroma.everything(collection)
    else:
        folder = request.getfixturevalue("folder")
        spec = f"chroma:{folder}#docs"
        with chroma.reading(folder) as collection:
            before = chroma.everything(collection)
    process = start(["run", spec, "--queries", str(questions), *LONG, "--out", "report"], tmp_path)
    wait_until(process, lambda: planted(tmp_path / "ledger.db"))
    process.send_signal(number)
    ended = finish(process)
    assert ended.code == 2, ended.err
    found = json.loads(ended.out)
    assert found["run"]["interrupted"] is True
    assert found["exit_code"] == 2
    assert found["leftovers"] == []
    assert found["corpus_digest"]["same"] is True
    assert json.loads((tmp_path / "report" / "results.json").read_text()) == found
    assert {row["outcome"] for row in found["observations"] if row["stage"] == "planned"} == {"inconclusive"}
    assert "interrupted; taking out what is planted" in ended.err
    assert "Traceback" not in ended.err
    assert not planted(tmp_path / "ledger.db")
    if over == "http":
        assert chroma.everything(collection) == before
    else:
        with chroma.reading(folder) as collection:
            assert chroma.everything(collection) == before


def test_what_cannot_be_taken_out_is_named_even_then(folder: Path, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(
        "from darnel.adapters.chroma.corpus import ChromaCorpus\n"
        "from tests.support.embedder import hashed\n"
        "ChromaCorpus.remove = lambda self, ids: None\n"
    )
    args = [
        "run",
        f"chroma:{folder}#docs",
        "--queries",
        str(questions),
        "--embedder",
        "stuck:hashed",
        "--gone-within",
        "0.3",
        "--json",
    ]
    process = start(args, tmp_path)
    wait_until(process, lambda: planted(tmp_path / "ledger.db", "written"))
    process.send_signal(signal.SIGTERM)
    ended = finish(process)
    assert ended.code == 3, ended.err
    left = {item["id"] for item in json.loads(ended.out)["leftovers"]}
    with chroma.reading(folder) as collection:
        assert left == set(chroma.kit_records(collection)) != set()
    assert all(id_ in ended.err for id_ in left)
