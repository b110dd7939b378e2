"""Everything a user can get wrong: one line that says what to do, exit code 2, and nothing written anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import chroma
from tests.support.command import HASHED, Outcome, darnel_process

Cli = Callable[..., Outcome]
WIDER, OTHER = "tests.support.embedder:wider", "tests.support.embedder:other"


def one_line(ended: Outcome, says: str) -> None:
    assert ended.code == 2, ended.err
    assert says in ended.err
    assert "Traceback" not in ended.err + ended.out
    assert ended.out == ""
    assert ended.err.count("\n") == 1, ended.err
    assert ended.err.startswith("darnel: ")


TARGETS = {
    "a missing collection": ("chroma:db#dosc", [], "no collection 'dosc'"),
    "no collection named": ("chroma:db", [], "name the collection"),
    "a missing folder": ("chroma:nope#docs", [], "no Chroma database in"),
    "an empty collection": ("chroma:db#empty", [], "is empty: fill it first"),
    "a wrong dimension": ("chroma:db#docs", ["--embedder", WIDER], "gives 33 dimensions and the corpus holds 32"),
    "a wrong embedder": ("chroma:db#docs", ["--embedder", OTHER], "Give the embedder, and the text preparation"),
    "an embedder that is none": ("chroma:db#docs", ["--embedder", "wordlama"], "--embedder wordlama: expected 'module:attr'"),
    "an unknown adapter": ("chrom:db#docs", [], "did you mean 'chroma'"),
    "an unknown parameter": ("chroma:db?tennant=x#docs", [], "did you mean 'tenant'"),
    "an unreadable target": ("db", [], "write ADAPTER:WHERE#CONTAINER"),
    "another host": ("chroma:http://db.example:8000#docs", [], "add --allow-host db.example"),
    "an unknown pattern": ("chroma:db#docs", ["-p", "keyword"], "unknown pattern 'keyword'; did you mean 'keywords'"),
    "a bad strength": ("chroma:db#docs", ["-p", "echo:0"], "is a whole number from 1 to 1,000"),
    "an unknown metric": ("chroma:db#docs", ["--fail-on", "exposre@5 > 0.1"], "did you mean 'exposure@K'"),
    "a condition that never holds": ("chroma:db#docs", ["--fail-on", "exposure@5 > 20"], "goes from 0 to 1"),
    "bad metadata": ("chroma:db#docs", ["--metadata", "tenant"], "write KEY=VALUE"),
    "metadata no store keeps": ("chroma:db#docs", ["--metadata", "page=NaN"], "give a finite number"),
    "an unknown check": ("chroma:db#docs", ["--accept", "embeder"], "did you mean 'embedder'"),
    "a ledger that cannot be written": ("chroma:db#docs", ["--ledger", "questions.txt/ledger.db"], "Choose a writable place with --ledger"),
    "a ledger that is none": ("chroma:db#docs", ["--ledger", "questions.txt"], "Choose a writable place with --ledger"),
    "no such questions": ("chroma:db#docs", ["--queries", "nope.txt"], "cannot read the queries nope.txt: No such file"),
}  # fmt: skip


@pytest.fixture
def db(folder: Path) -> Path:
    client = chroma.persistent(folder)
    client.create_collection("empty", embedding_function=None)
    client.close()
    return folder


def snapshot(folder: Path) -> Any:
    client = chroma.persistent(folder)
    try:
        names = sorted(c.name for c in client.list_collections())
        return (
            names,
            {n: chroma.everything(client.get_collection(n, embedding_function=None)) for n in names},
            chroma.files(folder),
        )
    finally:
        client.close()


@pytest.mark.parametrize("case", TARGETS)
def test_a_mistake_is_one_line_and_writes_nothing(
    cli: Cli, db: Path, questions: Path, tmp_path: Path, case: str
) -> None:
    target, extra, says = TARGETS[case]
    before, there = snapshot(db), {p.name for p in tmp_path.iterdir()}
    ended = cli("run", target, "--queries", questions.name, "--embedder", HASHED, "-p", "echo", *extra)
    one_line(ended, says)
    assert snapshot(db) == before
    new = {p.name for p in tmp_path.iterdir()} - there
    assert {name.partition("-")[0] for name in new} <= {"ledger.db"}


QUESTIONS = {
    "empty": (b"", "no queries in it"),
    "no JSON": (b'{"text": "a"}\n{"text":\n', "q:2: not JSON"),
    "no text": (b'{"text": "a"}\n{"txt": "b"}\n', "q:2: no query text"),
    "twice": (b'{"_id": "a", "text": "a"}\n{"_id": "a", "text": "b"}\n', "q:2: query id 'a' stands twice"),
    "NUL": (b"one\ntwo \0 three\n", "q:2: the query holds a NUL character"),
    "a surrogate": (b'{"text": "a\\ud800b"}\n', "q:1: the query holds a lone surrogate"),
    "no UTF-8": (b"one\ntwo\nthr\xe9e\n", "q:3: not UTF-8 text"),
    "bad CSV": (b'id,text\n1,"a" b\n', "q:2: not CSV"),
    "CSV without text": (b"id,text\n1,a\n2,\n", "q:3: no query text"),
}


@pytest.mark.parametrize("case", QUESTIONS)
def test_a_broken_question_file_names_its_line(cli: Cli, folder: Path, tmp_path: Path, case: str) -> None:
    content, says = QUESTIONS[case]
    (tmp_path / "q").write_bytes(content)
    before = snapshot(folder)
    one_line(cli("run", f"chroma:{folder}#docs", "--queries", "q", "--embedder", HASHED), says)
    assert snapshot(folder) == before
    assert not (tmp_path / "ledger.db").exists()


def test_a_server_that_is_not_there(cli: Cli, run_args: list[str]) -> None:
    for command in ("run", "plant"):
        ended = cli(command, f"chroma:http://127.0.0.1:{chroma.free_port()}#docs", *run_args)
        one_line(ended, "no Chroma server answers at chroma:http://127.0.0.1:")
    one_line(cli("doctor", f"chroma:http://127.0.0.1:{chroma.free_port()}#docs"), "no Chroma server answers")


def test_a_server_that_goes_away_is_one_line(
    cli: Cli, tmp_path: Path, run_args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from darnel.adapters.chroma import connect

    (tmp_path / "served").mkdir()
    with chroma.chroma_server(tmp_path / "served") as port:
        spec = f"chroma:http://127.0.0.1:{port}#docs"
        import chromadb

        chroma.fill(chromadb.HttpClient("127.0.0.1", port, settings=chroma.settings()), [])
        found, stop = connect._find, []
        monkeypatch.setattr(connect, "_find", lambda *args: (found(*args), stop.append(1))[0])
        monkeypatch.setattr(
            "darnel.adapters.chroma.corpus.ChromaCorpus.describe",
            lambda _self: (_ for _ in ()).throw(ConnectionError("refused")),
        )
        one_line(cli("run", spec, *run_args), "describing the corpus failed: ConnectionError: refused")
        assert stop


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["sweep", "--ledger", "nope/ledger.db", "chroma:nope#docs"], "no Chroma database in"),
        (["sweep", "--forget", "x", "--ledger", "nope.db"], "no ledger at nope.db"),
        (["status", "chroma:nope#docs"], "no Chroma database in"),
        (["doctor", "memory:nope.jsonl"], "cannot read the corpus"),
        (["plant", "chroma:db#docs"], "name what to plant with --pattern"),
        (["run", "chroma:db#docs"], "no questions: give a file with --queries FILE"),
        (["frobnicate"], "unknown command 'frobnicate'"),
    ],
)
def test_other_commands_too(cli: Cli, args: list[str], says: str, tmp_path: Path) -> None:
    one_line(cli(*args), says)
    assert list(tmp_path.iterdir()) == []


def test_what_click_itself_refuses(cli: Cli) -> None:
    for args in (["run"], ["run", "x", "--k", "0"], ["run", "x", "--nonsense"], ["sweep", "--within", "-1"]):
        ended = cli(*args)
        assert ended.code == 2
        assert "Error: " in ended.err
        assert "Traceback" not in ended.err


def test_in_a_process_of_its_own_nothing_else_is_said(folder: Path, run_args: list[str], tmp_path: Path) -> None:
    one_line(darnel_process(["run", f"chroma:{folder}#dosc", *run_args], tmp_path), "no collection 'dosc'")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "chroma.sqlite3").write_bytes(b"no database " * 1_000)
    one_line(darnel_process(["run", "chroma:odd#docs", *run_args], tmp_path), "cannot open ")


def test_a_bug_shows_its_traceback_and_is_no_finding(
    cli: Cli, folder: Path, run_args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("darnel.cli.output.show", lambda *_a, **_k: 1 / 0)
    ended = cli("run", f"chroma:{folder}#docs", *run_args)
    assert ended.code == 2
    assert "ZeroDivisionError" in ended.err
    assert "this is a bug in darnel" in ended.err
