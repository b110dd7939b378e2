"""The pre-commit hooks: what their entry lines do to files, and pre-commit itself where it is installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import Outcome

Cli = Callable[..., Outcome]
ROOT = Path(__file__).resolve().parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def entry(name: str) -> list[str]:
    """The command of a hook, without the program's own name."""
    lines = HOOKS.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"- id: {name}")
    program, *args = shlex.split(next(line for line in lines[start:] if line.startswith("  entry: "))[9:])
    assert program == "darnel"
    return args


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.md").write_text(f"# Page {folder}\n\nThe office opens at nine.\n", encoding="utf-8")
    return tmp_path


def test_clean_pages_are_quiet(cli: Cli, pages: Path) -> None:
    ended = cli(*entry("darnel-audit"), "one/index.md", "two/index.md")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_a_planted_page_fails_and_is_named_by_its_path(cli: Cli, pages: Path) -> None:
    (pages / "two" / "index.md").write_text("# Page\n\n" + "ferry times " * 20, encoding="utf-8")
    ended = cli(*entry("darnel-audit"), "one/index.md", "two/index.md")
    assert ended.code == 1
    assert "repetition  two/index.md:3" in ended.out


def test_only_what_is_bad_enough_fails(cli: Cli, pages: Path) -> None:
    (pages / "one" / "index.md").write_text("Log in to your раураl page.", encoding="utf-8")
    assert cli(*entry("darnel-audit"), "one/index.md").code == 0
    assert cli(*entry("darnel-audit"), "--fail-on", "medium", "one/index.md").code == 1


def test_templates(cli: Cli, tmp_path: Path) -> None:
    good = 'name = "twice"\nsummary = "The query twice."\ntext = "{query} {query} {body}"\n'
    (tmp_path / "good.toml").write_text(good, encoding="utf-8")
    (tmp_path / "bad.toml").write_text('name = "x"\ntext = "{nothing}"\n', encoding="utf-8")
    ended = cli(*entry("darnel-patterns"), "good.toml", "good.toml")
    assert ended.code == 0, ended.err
    ended = cli(*entry("darnel-patterns"), "good.toml", "bad.toml")
    assert ended.code == 2
    assert "bad.toml" in ended.err


@pytest.mark.slow
def test_pre_commit_itself(pages: Path) -> None:
    """``pre-commit try-repo`` on this repository, as a package: it builds an environment and installs darnel into it."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed (pip install pre-commit)")
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no git repository, which pre-commit needs")
    (pages / "two" / "index.md").write_text("# Page\n\n" + "ferry times " * 20, encoding="utf-8")
    names = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") and k != "PYTHONPATH"}
    env = {**clean, **names, "PRE_COMMIT_HOME": str(pages / "home")}
    subprocess.run(["git", "init", "-q"], cwd=pages, env=env, check=True)
    subprocess.run(["git", "add", "one", "two"], cwd=pages, env=env, check=True)
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "darnel-audit", "--all-files"]
    done = subprocess.run(command, cwd=pages, env=env, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if "InstallError" in said or "No matching distribution" in said or "Temporary failure" in said:
        pytest.skip("the hook's environment cannot be installed here")
    assert done.returncode == 1, said
    assert "repetition  two/index.md:3" in said
