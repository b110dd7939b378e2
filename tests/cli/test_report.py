"""``-o FILE`` and ``darnel report``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.core.document import load_results
from tests.support import chroma
from tests.support.command import Outcome

Cli = Callable[..., Outcome]
ALL = ["r.html", "r.json", "r.jsonl", "r.csv", "r.md", "r.xml", "r.sarif"]


def test_a_run_writes_every_format_beside_its_folder(cli: Cli, folder: Path, run_args: list[str]) -> None:
    named = [part for name in ALL for part in ("-o", f"new/{name}")]
    ended = cli("run", f"chroma:{folder}#docs", *run_args, "--out", "old", *named)
    assert ended.code == 0
    for name in ALL:
        assert Path("new", name).stat().st_size > 500
        assert f"wrote {Path('new', name)}" in ended.err
    assert Path("old", "results.json").read_bytes() == Path("new", "r.json").read_bytes()
    assert "echo:1" in ended.out


def test_an_unknown_format_stops_before_anything_is_planted(
    cli: Cli, folder: Path, run_args: list[str], tmp_path: Path
) -> None:
    before = sorted(p.name for p in tmp_path.iterdir())
    for name in ("r.doc", "r", "pdf:r.pdf"):
        ended = cli("run", f"chroma:{folder}#docs", *run_args, "-o", name)
        assert ended.code == 2
        assert ended.out == ""
        assert ended.err.count("\n") == 1
        assert ".sarif (sarif)" in ended.err
    assert cli("demo", "-o", "r.doc").code == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == before  # no ledger either


def test_a_place_that_cannot_be_written_stops_before_anything_is_planted(
    cli: Cli, folder: Path, run_args: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "there.html").mkdir()
    for name in ("file/r.html", "there.html"):
        ended = cli("run", f"chroma:{folder}#docs", *run_args, "-o", name)
        assert ended.code == 2
        assert "cannot write" in ended.err
        assert "wrote" not in ended.err
    with chroma.reading(folder) as collection:
        assert len(chroma.everything(collection)) == 40


def test_the_settings_and_the_environment_name_files(
    cli: Cli, folder: Path, run_args: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "darnel.toml").write_text('output = ["a.csv", "b.xml"]')
    assert cli("run", f"chroma:{folder}#docs", *run_args).code == 0
    assert Path("a.csv").exists()
    assert Path("b.xml").exists()
    monkeypatch.setenv("DARNEL_OUTPUT", "c.jsonl d.md")
    assert cli("run", f"chroma:{folder}#docs", *run_args).code == 0
    assert Path("c.jsonl").exists()
    assert Path("d.md").exists()


@pytest.fixture
def document(cli: Cli, folder: Path, run_args: list[str]) -> Path:
    ended = cli("run", f"chroma:{folder}#docs", *run_args, "--fail-on", "exposure@5 > 0", "-o", "results.json")
    assert ended.code == 1
    return Path("results.json")


def test_a_result_is_rendered_again(cli: Cli, document: Path) -> None:
    shown = cli("report", document)
    assert shown.code == 0  # that it could be shown; the run's own code is in the document
    assert "Failed on exposure@5 > 0" in shown.out
    written = cli("report", document, *[part for name in ALL for part in ("-o", name)], "-o", "md:summary")
    assert written.code == 0
    assert written.out == ""
    assert Path("summary").read_bytes() == Path("r.md").read_bytes()
    assert Path("r.json").read_bytes() == document.read_bytes()
    assert load_results("r.json").exit_code == 1


def test_a_finding_points_at_the_line_of_the_query_file(cli: Cli, document: Path, questions: Path) -> None:
    cli("report", document, "-o", "r.sarif")
    (run,) = json.loads(Path("r.sarif").read_text())["runs"]
    place = run["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith(f"/{questions.name}")
    line = place["physicalLocation"]["region"]["startLine"]
    assert questions.read_text().splitlines()[line - 1] == place["message"]["text"]


def test_several_results_get_a_file_each(cli: Cli, document: Path) -> None:
    Path("other").mkdir()
    Path("other/results.json").write_bytes(document.read_bytes())
    ended = cli("report", document, "other/results.json", "-o", "one.html")
    assert ended.code == 2
    assert "{name}" in ended.err
    assert not Path("one.html").exists()
    assert cli("report", document, "other/results.json", "-o", "out/{name}.csv").code == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["1-results.csv", "2-results.csv"]
    both = cli("report", document, "other/results.json")
    assert both.out.count("Failed on") == 2


def test_what_is_no_result_is_said_before_anything_is_written(cli: Cli, document: Path) -> None:
    Path("bad.json").write_text("{}")
    ended = cli("report", document, "bad.json", "-o", "{name}.csv")
    assert ended.code == 2
    assert "bad.json is no darnel result document" in ended.err
    assert not Path("results.csv").exists()
    assert cli("report", "absent.json").code == 2
    assert cli("report").code == 2
