"""``darnel run`` on real stores: exit codes, output, files, and a corpus that is as it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from darnel.core.document import load_results
from tests.support import chroma
from tests.support.command import HASHED, Outcome

Cli = Callable[..., Outcome]


@pytest.fixture(params=["folder", "http"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
    """A target spec, and the owner's view of its records."""
    if request.param == "http":
        spec, collection = request.getfixturevalue("served")
        yield spec, lambda: chroma.everything(collection)
        return
    folder = request.getfixturevalue("folder")

    def state() -> dict[str, str]:
        with chroma.reading(folder) as collection:
            return chroma.everything(collection)

    yield f"chroma:{folder}#docs", state


def test_a_run_passes_prints_and_leaves_the_corpus_as_it_was(cli: Cli, place: Any, run_args: list[str]) -> None:
    spec, state = place
    before = state()
    ended = cli("run", spec, *run_args)
    assert ended.code == 0
    assert "echo:1" in ended.out
    assert "9 planted, 9 removed, 0 left over" in ended.out
    assert "corpus digest: before = after (40 records, in full" in ended.out
    assert "Traceback" not in ended.err
    assert state() == before


def test_json_is_all_there_is_on_standard_output(cli: Cli, place: Any, run_args: list[str], tmp_path: Path) -> None:
    spec, _state = place
    ended = cli("run", spec, *run_args, "--json", "--out", "report")
    assert json.loads(ended.out)["exit_code"] == ended.code == 0
    assert ended.out.startswith("{")
    assert load_results(tmp_path / "report" / "results.json").to_json().decode() == ended.out
    assert (tmp_path / "report" / "report.md").read_text().startswith("# darnel report")
    assert "wrote" in ended.err


@pytest.mark.parametrize(
    ("extra", "code"),
    [
        (["--fail-on", "exposure@1 > 0"], 1),
        (["--fail-on", "exposure@1 > 100%"], 0),
        (["--fail-on", "echo retention < 0.1"], 2),  # there are no judgments to measure it by
        (["--fail-on", "exposure@5 > 0.1", "--fail-on", "retention < 0.1"], 1),
    ],
)
def test_exit_codes_follow_the_gates(cli: Cli, folder: Path, questions: Path, extra: list[str], code: int) -> None:
    args = ["--queries", questions, "--embedder", HASHED, "-p", "keywords:5"]
    assert cli("run", f"chroma:{folder}#docs", *args, *extra).code == code


def test_a_dry_run_writes_nothing_at_all(cli: Cli, place: Any, run_args: list[str], tmp_path: Path) -> None:
    spec, state = place
    before, there = state(), sorted(p.name for p in tmp_path.iterdir())
    ended = cli("run", spec, *run_args, "--dry-run")
    assert ended.code == 0
    assert "echo:1/q1/0" in ended.out
    assert "dry run: 9 plants for chroma docs" in ended.err
    assert "nothing was written" in ended.err
    planned = json.loads(cli("run", spec, *run_args, "--dry-run", "--json").out)
    assert len(planned["plants"]) == 9
    assert planned["container"].startswith("chroma docs")
    assert state() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == there  # no ledger either


def test_every_option_reaches_the_run(cli: Cli, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"_id": "a", "text": "How do flour and yeast go with oven?"}\n')
    (tmp_path / "j.tsv").write_text("query-id\tcorpus-id\tscore\na\tr0\t1\n")
    ended = cli(
        "run", f"chroma:{folder}#docs", "--queries", "q.jsonl", "--qrels", "j.tsv", "--embedder", HASHED,
        "-p", "echo:2", "-p", "flood:2", "--k", 7, "--seed", 9, "--isolation", "query", "--full-digest",
        "--metadata", "tenant=other", "--metadata", "page=12", "--visible-within", 5, "--gone-within", 5, "--json",
    )  # fmt: skip
    found = json.loads(ended.out)
    assert (found["target"]["k"], found["run"]["seed"], found["target"]["isolation"]) == (7, 9, "query")
    assert [s["pattern"] for s in found["scores"]] == ["control:1", "honest:1", "echo:2", "flood:2"]
    assert "7" in found["scores"][0]["exposure"]
    assert found["queries"][0]["judged"] == 1
    planned = json.loads(
        cli(
            "run", f"chroma:{folder}#docs", "--queries", "q.jsonl", "--embedder", HASHED, "--metadata", "tenant=other",
            "--metadata", "page=12", "--metadata", "tags=[\"a\"]", "--metadata", "note=1x", "--dry-run", "--json",
        ).out
    )  # fmt: skip
    metadata = planned["plants"][0]["metadata"]
    assert (metadata["tenant"], metadata["page"], metadata["tags"], metadata["note"]) == ("other", 12, ["a"], "1x")


def test_questions_may_come_from_standard_input(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"How do flour and yeast go?\n"), encoding="utf-8"))
    ended = cli("run", f"chroma:{folder}#docs", "--queries", "-", "--embedder", HASHED, "-p", "echo", "--json")
    assert len(json.loads(ended.out)["queries"]) == 1


def test_files_that_cannot_be_written_are_found_before_the_run(
    cli: Cli, folder: Path, run_args: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    ended = cli("run", f"chroma:{folder}#docs", *run_args, "--out", "file/report")
    assert ended.code == 2
    assert "cannot write to file/report" in ended.err
    assert ended.out == ""
    assert not (tmp_path / "ledger.db").exists()


def test_a_file_that_fails_after_the_run_loses_no_result(
    cli: Cli, folder: Path, run_args: list[str], tmp_path: Path
) -> None:
    (tmp_path / "report" / "results.json").mkdir(parents=True)
    ended = cli("run", f"chroma:{folder}#docs", *run_args, "--out", "report")
    assert ended.code == 2
    assert "9 planted, 9 removed" in ended.out
    assert "cannot write to report" in ended.err


def test_the_demo_needs_nothing(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("wordllama", reason="the wordllama extra is not installed")
    there = sorted(tmp_path.iterdir())
    ended = cli("demo", "-p", "keywords:5", "--json")
    found = json.loads(ended.out)
    assert ended.code == 0
    assert found["target"]["size"] == 195
    by_label = {s["pattern"]: s["exposure"]["5"]["value"] for s in found["scores"]}
    assert by_label["control:1"] == 0
    assert by_label["keywords:5"] > 0.9
    assert found["leftovers"] == []
    assert sorted(tmp_path.iterdir()) == there


def test_what_there_is_is_listed(cli: Cli) -> None:
    assert "chroma" in cli("adapters").out
    assert {e["name"] for e in json.loads(cli("adapters", "--json").out)} >= {"chroma", "memory"}
    assert "keywords" in cli("patterns").out
    assert [p["name"] for p in json.loads(cli("patterns", "--json").out)][:2] == ["control", "honest"]
    assert cli("--version").out.startswith("darnel ")
    assert cli("--help").code == 0
    assert "did you mean 'run'" in cli("rum").err
    assert cli("run").code == 2
    for shell in ("bash", "zsh", "fish"):
        assert "_DARNEL_COMPLETE" in cli("completion", shell).out


def test_doctor_looks_and_says(cli: Cli, place: Any) -> None:
    spec, state = place
    before = state()
    good = cli("doctor", spec, "--embedder", HASHED)
    assert good.code == 0
    assert "embedder" in good.out
    found = {c["name"]: c for c in json.loads(cli("doctor", spec, "--embedder", HASHED, "--json").out)}
    assert "re-embeds 16 sampled records at cosine 1.0000" in found["embedder"]["detail"]
    bad = json.loads(cli("doctor", spec, "--embedder", "tests.support.embedder:other", "--json").out)
    assert [c["name"] for c in bad if c["ok"] is False] == ["embedder"]
    assert cli("doctor", spec).code == 2
    assert state() == before
