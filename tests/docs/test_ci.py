"""The GitHub action's own steps, run as a runner runs them, and the recipes of the guide."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from darnel.cli.options import SETTINGS
from darnel.cli.settings import load_suppressions
from tests.support.command import environment

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
GUIDE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def step(name: str) -> dict[str, Any]:
    return next(s for s in ACTION["runs"]["steps"] if s["name"] == name)


@pytest.fixture
def app(tmp_path: Path) -> Path:
    texts = [
        "The key hangs by the door.",
        "The company pays the fare.",
        "Lamps are lit at dusk.",
        "The boat leaves at nine.",
    ]
    rows = [json.dumps({"_id": f"r{i}", "text": text}) for i, text in enumerate(texts)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows))
    (tmp_path / "my questions.txt").write_text("Where is the key?\nWho pays the fare?\n")
    return tmp_path


def run(app: Path, **inputs: str) -> tuple[int, str, str]:
    """The main step, with the environment that a runner gives it: exit code, outputs and summary."""
    given = {name: str(spec.get("default", "")) for name, spec in ACTION["inputs"].items()} | inputs
    env = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
        for key, value in step("Plant, ask, verify, score, remove, prove")["env"].items()
    }
    folder = Path(sys.executable).parent
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    files = {"GITHUB_OUTPUT": str(app / "output"), "GITHUB_STEP_SUMMARY": str(app / "summary")}
    ended = subprocess.run(
        [
            "bash",
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step("Plant, ask, verify, score, remove, prove")["run"],
        ],
        cwd=app,
        env={**environment(), **env, **files, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, (app / "output").read_text(), (app / "summary").read_text()


def test_a_run_that_passes(app: Path) -> None:
    code, output, summary = run(
        app, target="memory:corpus.jsonl#bm25", queries="my questions.txt", args="--pattern 'echo:1'"
    )
    assert code == 0
    assert "exit-code=0" in output
    assert "# darnel report" in summary
    assert (app / "darnel-report" / "results.json").is_file()


def test_a_gate_with_spaces_fails_the_job(app: Path) -> None:
    code, output, summary = run(
        app,
        target="memory:corpus.jsonl#bm25",
        queries="my questions.txt",
        args="--pattern echo --fail-on 'exposure@5 > 0.2'",
    )
    assert code == 1
    assert "exit-code=1" in output
    assert "Failed on" in summary


def test_what_cannot_be_tested_is_said_in_the_summary(app: Path) -> None:
    code, _, summary = run(app, target="memory:none.jsonl#bm25", queries="my questions.txt")
    assert code == 2
    assert "could not test this target" in summary


def test_nothing_of_an_input_is_run(app: Path) -> None:
    run(
        app,
        target="memory:corpus.jsonl#bm25",
        queries="my questions.txt",
        args="--pattern echo $(touch owned) `touch owned`; touch owned",
    )
    assert not (app / "owned").exists()


def test_every_input_reaches_a_step_and_only_through_the_environment() -> None:
    text = json.dumps(ACTION["runs"])
    assert all(f"inputs.{name}" in text for name in ACTION["inputs"])
    assert all("${{" not in s["run"] for s in ACTION["runs"]["steps"])


def test_the_settings_of_the_guide_are_settings(tmp_path: Path) -> None:
    settings, accepted = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert tomllib.loads(settings).keys() <= SETTINGS.keys()
    (tmp_path / "darnel.toml").write_text(accepted, encoding="utf-8")
    (one,) = load_suppressions(tmp_path)
    assert (one.condition, one.pattern, str(one.until)) == ("exposure@5 > 0.2", "echo", "2027-01-31")


def test_the_recipes_are_yaml_and_name_inputs_that_exist() -> None:
    github, gitlab = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL))
    (uses,) = [s for s in github["jobs"]["darnel"]["steps"] if str(s.get("uses", "")).startswith("darnel-dev/")]
    assert uses["with"].keys() <= ACTION["inputs"].keys()
    assert gitlab["darnel"]["artifacts"]["when"] == "always"
