"""The example applications: nothing of darnel in them, and the command in each README does what the README shows."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, environment

APPS = ("http_app", "langchain_app", "llamaindex_app")
NEEDS = {
    "http_app": ("chromadb", "wordllama", "httpx", "jmespath"),
    "langchain_app": ("langchain_chroma", "wordllama"),
    "llamaindex_app": ("llama_index.vector_stores.chroma", "wordllama"),
}
MANNERS = {"obey": True, "quote": None, "ignore": False}
"""Whether a plant comes into the answer; a model that quotes shows it where it came first."""


def folder(app: str) -> Path:
    return ROOT / "examples" / app


def commands(app: str) -> list[str]:
    """What the README tells to type, but for what installs."""
    text = (folder(app) / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ (.+)$", text, flags=re.MULTILINE)
    return [line for line in lines if not line.startswith("pip install")]


def free_port() -> str:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return str(bound.getsockname()[1])


def run(app: str, *more: str, **variables: str) -> str:
    """The README's commands, in the shell that a person would use; standard output."""
    for package in NEEDS[app]:
        pytest.importorskip(package, reason=f"{package} is not installed")
    if not (bash := shutil.which("bash")):
        pytest.skip("there is no bash")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = environment({"PATH": path, "APP_PORT": free_port(), "CHROMA_PORT": free_port(), **variables})
    line = " && ".join(commands(app)) + "".join(f" {word}" for word in more)
    done = subprocess.run(
        [bash, "-c", line], cwd=ROOT, env=env, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.mark.parametrize("app", APPS)
def test_nothing_of_darnel_is_in_it(app: str) -> None:
    files = sorted(folder(app).glob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.partition(".")[0] == "darnel"], file


@pytest.mark.parametrize("app", APPS)
def test_the_readmes_command_does_what_it_shows(app: str) -> None:
    shown = (folder(app) / "README.md").read_text(encoding="utf-8")
    said = run(app)
    block = shown[shown.index("```text\n", shown.index("Plants go") if app == "http_app" else 0) :]
    for line in block.split("```")[1].splitlines()[1:]:
        if line.startswith(("control:1", "keywords:5", "pattern", "Share", "corpus digest", "baseline")):
            assert line.partition(" (...)")[0].partition("; ...")[0] in said, line
    assert re.search(r"(\d+) planted, \1 removed, 0 left over", said)


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("manner", ["ignore", *(pytest.param(m, marks=pytest.mark.slow) for m in ("obey", "quote"))])
def test_the_answer_depends_on_the_model(app: str, manner: str) -> None:
    more = ["-p", "keywords:5", "--json", *([] if app == "http_app" else ["--answers"])]
    found = json.loads(run(app, *more, MANNER=manner))
    funnel = next(s for s in found["scores"] if s["pattern"] == "keywords:5")["funnel"]
    assert funnel["retrieved"]["value"] == 1.0
    if app != "http_app":
        assert funnel["in prompt"]["value"] == 1.0
    if MANNERS[manner] is None:
        assert 0 < funnel["in answer"]["value"] <= 1
    else:
        assert funnel["in answer"]["value"] == (1.0 if MANNERS[manner] else 0.0)
    assert found["exit_code"] == 0 and found["leftovers"] == []


@pytest.mark.parametrize("app", APPS)
def test_its_questions_are_the_same_everywhere(app: str) -> None:
    questions = (folder(app) / "questions.txt").read_text(encoding="utf-8")
    assert questions == (folder(APPS[0]) / "questions.txt").read_text(encoding="utf-8")
    assert len(questions.splitlines()) == 10


def test_documents_are_kept_out_at_ingest_and_at_query_time() -> None:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    pytest.importorskip("selectolax", reason="darnel[audit] is not installed")
    command = [sys.executable, str(ROOT / "examples" / "audit_at_ingest.py")]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert "stuffed: high repetition" in done.stdout
    assert "in the store: echo, timetable" in done.stdout
    assert done.stdout.splitlines()[-1] == "to the model: timetable"
