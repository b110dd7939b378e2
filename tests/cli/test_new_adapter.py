"""``darnel adapters --new``: what it writes works as it stands, and nothing is overwritten."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from darnel.cli.main import main

ROOT = Path(__file__).parents[2]


def start(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(["adapters", *arguments])
    return ended.value.code


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def made(tmp_path: Path) -> Path:
    assert start("--new", "my-store2", "--into", str(tmp_path)) == 0
    return tmp_path / "darnel-my-store2"


def test_its_tests_pass(made: Path) -> None:
    """The whole conformance suite, none of it turned off."""
    ended = python(made, "pytest", "-p", "no:cacheprovider", "-rs")
    assert ended.returncode == 0, ended.stdout
    assert "skipped" not in ended.stdout
    assert int(ended.stdout.rsplit(" passed", 1)[0].split()[-1]) > 100


def test_its_tests_can_fail(made: Path) -> None:
    corpus = made / "darnel_my_store2" / "corpus.py"
    text = corpus.read_text(encoding="utf-8")
    broken = text.replace("            self._records().pop(id_, None)", "            pass")
    assert broken != text
    corpus.write_text(broken, encoding="utf-8")
    ended = python(made, "pytest", "-p", "no:cacheprovider", "-k", "remove_")
    assert ended.returncode == 1, ended.stdout


def test_it_is_clean(made: Path) -> None:
    """Formatted, linted by darnel's own rules and fully typed, so that an author starts from a clean slate."""
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    assert python(made, "ruff", "format", "--check", *settings, ".").returncode == 0
    linted = python(made, "ruff", "check", "--ignore", "I001", *settings, "darnel_my_store2")
    assert linted.returncode == 0, linted.stdout
    typed = python(made, "mypy", "--strict", "--cache-dir", os.devnull, "--follow-imports=silent", "darnel_my_store2")
    assert typed.returncode == 0, typed.stdout


def test_its_entry_point_is_found(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = tomllib.loads((made / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert declared["dependencies"] == ["darnel"]
    installed = made / "darnel_my_store2-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: {declared['name']}\nVersion: {declared['version']}\n")
    points = [f"{k} = {v}" for k, v in declared["entry-points"]["darnel.adapters"].items()]
    (installed / "entry_points.txt").write_text("\n".join(["[darnel.adapters]", *points]))
    monkeypatch.syspath_prepend(str(made))
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "my-store2:here#docs"])
    assert ended.value.code == 2
    assert "no container 'docs' in here" in capsys.readouterr().err
    assert start("--new", "my-store2", "--into", str(made)) == 2
    assert "already" in capsys.readouterr().err


def test_what_it_wrote_is_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert start("--new", "shop", "--into", str(tmp_path), "--json") == 0
    printed = capsys.readouterr()
    written = {str(p) for p in tmp_path.rglob("*") if p.is_file()}
    assert set(json.loads(printed.out)) == written
    assert {Path(p).relative_to(tmp_path / "darnel-shop").as_posix() for p in written} == {
        "README.md",
        "pyproject.toml",
        "darnel_shop/__init__.py",
        "darnel_shop/corpus.py",
        "tests/test_conformance.py",
    }
    assert "pytest" in printed.err


def test_the_current_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert start("--new", "shop") == 0
    assert (tmp_path / "darnel-shop" / "pyproject.toml").is_file()


def test_nothing_is_overwritten(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (made / "README.md").write_text("mine")
    capsys.readouterr()
    assert start("--new", "my-store2", "--into", str(made.parent)) == 2
    assert "--into" in capsys.readouterr().err
    assert (made / "README.md").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["", "Shop", "3d", "a b", "../shop", "shop/x", "-x", "shop-", "a--b", "läden", "shop\n", "chroma", "memory"]
)
def test_a_name_that_will_not_do_is_refused_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start(f"--new={name}", "--into", str(tmp_path)) == 2
    said = capsys.readouterr().err
    assert said.startswith("darnel: ")
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert start("--new", "shop", "--into", str(tmp_path / "file" / "below")) == 2
    assert "--into" in capsys.readouterr().err


def test_into_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert start("--into", ".") == 2
    assert "--new" in capsys.readouterr().err
