"""Settings files, and who goes before whom: command line, environment, file, default."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from darnel.cli.options import REPEATED, SETTINGS
from darnel.cli.settings import load_settings
from darnel.core.errors import UnknownNameError, UsageError
from tests.support.command import HASHED, Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def run(cli: Cli, folder: Path, questions: Path) -> Callable[..., Any]:
    """A dry run's or run's JSON."""

    def call(*args: object) -> Any:
        ended = cli("run", f"chroma:{folder}#docs", "--json", *args)
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    return call


FULL = f"""
queries = "questions.txt"
embedder = "{HASHED}"
pattern = ["echo:2", "keywords:3"]
k = 7
seed = 4
isolation = "together"
fail-on = ["exposure@7 > 100%"]
metadata = {{ tenant = "other", page = 12, draft = true }}
visible-within = 5
gone-within = 5.5
max-inconclusive = 0.5
full-digest = true
"""


@pytest.mark.parametrize("where", ["darnel.toml", "pyproject.toml"])
def test_a_file_holds_what_the_command_line_does(run: Callable[..., Any], tmp_path: Path, where: str) -> None:
    content = FULL if where == "darnel.toml" else f"[project]\nname = 'x'\n[tool.darnel]\n{FULL}"
    (tmp_path / where).write_text(content)
    found = run()
    assert (found["target"]["k"], found["run"]["seed"], found["target"]["isolation"]) == (7, 4, "together")
    assert [s["pattern"] for s in found["scores"]] == ["control:1", "honest:1", "echo:2", "keywords:3"]
    assert [g["condition"] for g in found["gates"]] == ["exposure@7 > 100%"]
    planned = run("--dry-run")["plants"][0]["metadata"]
    assert (planned["tenant"], planned["page"], planned["draft"]) == ("other", 12, True)


def test_the_command_line_goes_before_the_environment_before_the_file_before_the_default(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = f'queries = "questions.txt"\nembedder = "{HASHED}"\npattern = "echo:1"\n'
    (tmp_path / "darnel.toml").write_text(base)
    assert run()["target"]["k"] == 5
    (tmp_path / "darnel.toml").write_text(f"{base}k = 6\n")
    assert run()["target"]["k"] == 6
    monkeypatch.setenv("DARNEL_K", "7")
    assert run()["target"]["k"] == 7
    assert run("--k", 8)["target"]["k"] == 8
    monkeypatch.setenv("DARNEL_PATTERN", "keywords:2 answer")
    assert [s["pattern"] for s in run()["scores"]][2:] == ["keywords:2", "answer:1"]
    assert [s["pattern"] for s in run("-p", "flood:2")["scores"]][2:] == ["flood:2"]


def test_one_value_stands_for_a_list_of_one(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "darnel.toml").write_text(
        f'queries = "questions.txt"\nembedder = "{HASHED}"\npattern = "echo:2"\nmetadata = "tenant=other"\nfail-on = "exposure@5 > 1"\n'
    )
    assert [s["pattern"] for s in run()["scores"]][2:] == ["echo:2"]
    assert run("--dry-run")["plants"][0]["metadata"]["tenant"] == "other"


def test_darnel_toml_goes_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.darnel]\nk = 1\nseed = 9\n")
    assert load_settings() == {"k": "1", "seed": "9"}
    (tmp_path / "darnel.toml").write_text("k = 2\n")
    assert load_settings() == {"k": "2"}
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (tmp_path / "darnel.toml").unlink()
    assert load_settings() == {}


@pytest.mark.parametrize("key", SETTINGS)
def test_every_setting_is_an_option_of_run(key: str) -> None:
    from darnel.cli.run_command import command

    option = next(p for p in command.params if f"--{key}" in p.opts)
    assert option.name == SETTINGS[key]
    assert option.envvar == f"DARNEL_{key.upper().replace('-', '_')}"
    assert option.multiple == (key in REPEATED)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("darnel.toml", "patern = 'echo'\n", "unknown setting 'patern'; did you mean 'pattern'"),
        ("darnel.toml", "patterns = 'echo'\n", "did you mean 'pattern'"),
        ("darnel.toml", "visible_within = 3\n", "did you mean 'visible-within'"),
        ("pyproject.toml", "[tool.darnel]\nfail_on = 'x'\n", "did you mean 'fail-on'"),
        ("pyproject.toml", "[tool]\ndarnel = 3\n", r"write \[tool.darnel\]"),
        ("darnel.toml", "k = [5, 6]\n", "the setting 'k' takes one value"),
        ("darnel.toml", "k = \n", "cannot read darnel.toml"),
        ("darnel.toml", "k = '\xff'\n", None),
    ],
)
def test_a_setting_that_is_not_known_offers_the_nearest(
    tmp_path: Path, name: str, content: str, says: str | None
) -> None:
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises((UnknownNameError, UsageError), match=says or "cannot read darnel.toml"):
        load_settings()


@pytest.mark.parametrize(
    "content",
    [
        "k = 'five'\n",
        "k = 0\n",
        "isolation = 'alone'\n",
        "seed = 1.5\n",
        "k = true\n",
        "full-digest = 3\n",
        "max-inconclusive = 2\n",
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(cli: Cli, folder: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "darnel.toml").write_text(content)
    ended = cli("run", f"chroma:{folder}#docs")
    assert ended.code == 2
    assert "Invalid value for" in ended.err
    assert "Traceback" not in ended.err


def test_a_mistake_in_the_file_is_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "darnel.toml").write_text("patern = 'echo'\n")
    ended = cli("status")
    assert (ended.code, ended.err) == (2, "darnel: unknown setting 'patern'; did you mean 'pattern'?\n")
