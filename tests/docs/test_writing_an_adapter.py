"""``docs/writing-an-adapter.md`` builds the example adapter, block by block, and every block is used."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "writing-an-adapter.md"
EXAMPLE = ROOT / "examples" / "pgvector_adapter"
BEYOND = {"README.md", "handbook.py", "tests/test_postgres.py"}
"""What the example has beyond the page."""


@dataclass(frozen=True)
class Block:
    """A fenced block. ``path``: the file it goes to; empty: commands to run."""

    path: str
    content: str

    @property
    def commands(self) -> list[str]:
        return [line.removeprefix("$ ") for line in self.content.splitlines()]


def blocks() -> Iterator[Block]:
    for token in MarkdownIt().parse(PAGE.read_text(encoding="utf-8")):
        assert token.type != "code_block", f"indented code is in no file and is not run: {token.content}"
        if token.type == "fence":
            titled = re.fullmatch(r'(python|toml) title="([\w./-]+)"', token.info)
            assert titled or token.info == "console", f"a block must name its file or be commands: {token.info!r}"
            yield Block(titled[2] if titled else "", token.content)


def lines(text: str) -> list[str]:
    """Without blank ones: blocks are cut where the file has some."""
    return [line for line in text.splitlines() if line.strip()]


def test_the_blocks_are_the_example() -> None:
    written: dict[str, str] = {}
    for block in blocks():
        if block.path:
            written[block.path] = written.get(block.path, "") + block.content
    there = {str(p.relative_to(EXAMPLE)) for p in EXAMPLE.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
    there = {path for path in there if not path.startswith(".")}
    assert set(written) == there - BEYOND
    for path, text in written.items():
        assert lines(text) == lines((EXAMPLE / path).read_text(encoding="utf-8")), f"{path} differs"


def test_the_commands_work_where_they_stand(tmp_path: Path) -> None:
    """A newcomer's folder, filled block by block; each command is run with what is there by then.

    Only what reaches a package index is not run, and the last, whole ``pytest``: it is the example's own test run.
    """
    pytest.importorskip("pgserver", reason="pgserver, a Postgres in a wheel, is not installed")
    folder, ran = tmp_path, []
    for block in blocks():
        if block.path:
            with (folder / block.path).open("a", encoding="utf-8") as file:
                file.write(block.content)
            continue
        for command in block.commands:
            program, *arguments = shlex.split(command)
            if program == "cd":
                folder = folder / arguments[0]
            elif program == "mkdir":
                subprocess.run([program, *arguments], cwd=folder, check=True)
            elif command not in ("python -m venv .venv", ". .venv/bin/activate", "pip install -e '.[test]'", "pytest"):
                ran.append(_run(program, arguments, folder))
    partly, planting, adapters = ran
    assert "4 passed" in partly
    assert re.search(r"[1-9]\d+ passed", planting)
    assert re.search(r"^pgvector +yes", adapters, re.MULTILINE)


def _run(program: str, arguments: list[str], folder: Path) -> str:
    """Run a Python program on the folder as if ``pip install -e`` had been run there."""
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = folder / ".installed" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    installed.mkdir(parents=True, exist_ok=True)
    (installed / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    points = [f"{k} = {v}" for k, v in project["entry-points"]["darnel.adapters"].items()]
    (installed / "entry_points.txt").write_text("\n".join(["[darnel.adapters]", *points]))
    path = os.pathsep.join(map(str, [folder, installed.parent, ROOT]))
    plain = ["-p", "no:cacheprovider"] if program == "pytest" else []
    ended = subprocess.run(
        [sys.executable, "-m", program, *plain, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{program} {arguments}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout
