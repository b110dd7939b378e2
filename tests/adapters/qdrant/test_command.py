"""The command line on ``qdrant:`` targets, in processes of their own: a run, kill -9 and sweep, doctor, plant, status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

import darnel
from tests.adapters.qdrant import support
from tests.adapters.qdrant.standin import StandIn

ROOT = Path(__file__).resolve().parents[3]
HASHED = "tests.adapters.qdrant.support:hashed"


def command(*args: str, module: str = "darnel", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(darnel.__file__).parents[1]), str(ROOT)])
    env = {**os.environ, "PYTHONPATH": path}
    words = [sys.executable, "-m", *module.split(), *args]
    return subprocess.run(words, capture_output=True, text=True, env=env, cwd=cwd, timeout=120, check=False)


@pytest.fixture
def questions(tmp_path: Path) -> str:
    path = tmp_path / "questions.txt"
    path.write_text("\n".join(support.QUESTIONS), encoding="utf-8")
    return str(path)


def look(folder: Path) -> dict[str, str]:
    client = QdrantClient(path=str(folder))
    found = support.witness(client)
    client.close()
    return found


def test_a_run_from_end_to_end_with_the_bundled_embedder(tmp_path: Path, questions: str) -> None:
    pytest.importorskip("wordllama")
    from darnel.embedders.wordllama import load_wordllama

    client = QdrantClient(path=str(tmp_path / "data"))
    client.create_collection("docs", vectors_config=models.VectorParams(size=256, distance=models.Distance.COSINE))
    vectors = load_wordllama().documents([text for _topic, text in support.texts()]).tolist()
    client.upsert(
        "docs",
        [
            models.PointStruct(id=n, vector=vectors[n], payload=support.langchain(n, topic, text))
            for n, (topic, text) in enumerate(support.texts())
        ],
    )
    client.close()
    before = look(tmp_path / "data")
    args = ["--queries", questions, "--embedder", "wordllama", "-p", "echo:2", "--json"]
    done = command("run", "qdrant:./data#docs", *args, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert results["target"]["backend"] == "qdrant"
    assert results["target"]["metric"] == "cosine"
    assert results["corpus_digest"]["same"] is True
    assert results["baseline"]["same"] is True
    echo = next(s for s in results["scores"] if s["pattern"] == "echo:2")
    assert echo["exposure"]["1"]["value"] == 1.0
    assert look(tmp_path / "data") == before


@pytest.mark.parametrize(
    "point", ["upsert before 1", "upsert after 1", "upsert after 3", "delete before 1", "delete after 2"]
)
def test_kill_and_sweep(point: str, folder: Path, tmp_path: Path, questions: str) -> None:
    before = look(folder)
    run = ["run", f"qdrant:{folder}#docs", "--queries", questions, "--embedder", HASHED, "-p", "echo:1"]
    killed = command(*point.split(), *run, "--isolation", "query", module="tests.adapters.qdrant.killed")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    left = look(folder).keys() - before.keys()
    assert bool(left) == (point in ("upsert after 1", "upsert after 3", "delete before 1"))
    dry = command("sweep", "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert look(folder).keys() - before.keys() == left
    swept = command("sweep", "--json")
    assert swept.returncode == 0, swept.stdout + swept.stderr
    assert sum(row["removed"] for row in json.loads(swept.stdout)) == len(left)
    assert look(folder) == before
    assert json.loads(command("status", "--json").stdout) == []


def test_sweep_without_a_ledger(folder: Path, tmp_path: Path, questions: str) -> None:
    before = look(folder)
    run = ["run", f"qdrant:{folder}#docs", "--queries", questions, "--embedder", HASHED, "-p", "flood:3"]
    killed = command("upsert", "after", "3", *run, module="tests.adapters.qdrant.killed")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    for path in tmp_path.glob("ledger.db*"):
        path.unlink()
    assert len(look(folder)) > len(before)
    swept = command("sweep", f"qdrant:{folder}#docs")
    assert swept.returncode == 0, swept.stderr
    assert look(folder) == before


def test_plant_status_and_sweep_with_options_of_its_own(tmp_path: Path, questions: str) -> None:
    """The ledger keeps the options; a sweep by hand that is not told them finds the plants unchanged all the same."""
    client = QdrantClient(path=str(tmp_path / "db"))
    support.fill(client, support.nested)
    client.close()
    spec = f"qdrant:{tmp_path / 'db'}?text=body&metadata=my%20info#docs"
    for sweep in (["sweep"], ["sweep", f"qdrant:{tmp_path / 'db'}#docs"]):
        before = look(tmp_path / "db")
        planted = command("plant", spec, "--queries", questions, "--embedder", HASHED, "-p", "echo:1")
        assert planted.returncode == 0, planted.stderr
        assert len(look(tmp_path / "db")) == len(before) + 3
        status = json.loads(command("status", "--json").stdout)
        assert [row["present"] for row in status] == [3]
        swept = command(*sweep)
        assert swept.returncode == 0, swept.stdout + swept.stderr
        assert look(tmp_path / "db") == before


def test_doctor_and_its_probe(folder: Path, standin: StandIn) -> None:
    for spec in (f"qdrant:{folder}#docs", f"qdrant:{standin.url}#docs"):
        done = command("doctor", spec, "--embedder", HASHED, "--probe", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        checks = {c["name"]: c for c in json.loads(done.stdout)}
        assert checks["payload shape"]["detail"] == "langchain, in all 32 sampled points"
        assert checks["embedder"]["ok"] is True
        assert "tenant" in checks["tenant and filter keys"]["detail"]
        assert checks["probe: ids kept, text and metadata read back"]["ok"] is True
        assert checks["probe: search finds it"]["ok"] is True
        assert checks["probe: delete works"]["ok"] is True
    assert len(look(folder)) == 40


def test_errors_are_one_line_and_exit_code_2(folder: Path, questions: str) -> None:
    owner = QdrantClient(path=str(folder))
    cases: list[Any] = [
        f"qdrant:{folder}#docs",
        f"qdrant:{folder.parent}#docs",
        "qdrant:http://127.0.0.1:9#docs",
        f"qdrant:{folder}?text=a",
    ]
    for spec in cases:
        done = command("run", spec, "--queries", questions, "--embedder", HASHED)
        assert done.returncode == 2
        assert done.stderr.startswith("darnel: ")
        assert done.stderr.count("\n") == 1
    owner.close()


def test_a_dry_run_writes_nothing(folder: Path, questions: str) -> None:
    before = look(folder)
    done = command("run", f"qdrant:{folder}#docs", "--queries", questions, "--embedder", HASHED, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert look(folder) == before
