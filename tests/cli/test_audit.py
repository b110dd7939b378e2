"""``darnel audit`` on files and live stores: exit codes, formats, what hostile text does to them, and that it writes nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.core.corpus import Record
from tests.cli.test_hostile import BAD, inert
from tests.reports.test_escape import harmless, rendered
from tests.support import chroma, corpora
from tests.support.command import HASHED, Outcome
from tests.support.embedder import embed

Cli = Callable[..., Outcome]
QUERY = "How do flour and yeast go with a hot oven?"


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "clean.jsonl", *({"id": r.id, "text": r.text} for r in corpora.make_records()))


@pytest.fixture
def stuffed(tmp_path: Path) -> Path:
    return write_lines(
        tmp_path / "stuffed.jsonl", {"id": "ok", "text": "A loaf."}, {"id": "bad", "text": f"{QUERY} " * 5}
    )


def test_clean(cli: Cli, clean: Path) -> None:
    ended = cli("audit", clean)
    assert ended.code == 0, ended.err
    assert "40 records read, 0 files skipped, 0 unreadable" in ended.out
    assert "A clean result does not rule out" in ended.out
    assert "echo: not run" in ended.out


def test_findings(cli: Cli, clean: Path, stuffed: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(f"{QUERY}\n", encoding="utf-8")
    ended = cli("audit", clean, stuffed, "--queries", "q.txt", "--json", "--out", "report")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert {(f["record"], f["detector"]) for f in found["findings"]} == {("bad", "echo"), ("bad", "repetition")}
    assert {f["source"] for f in found["findings"]} == {str(stuffed)}
    assert found["exit_code"] == 1
    assert "42 records read" in ended.err
    assert sorted(p.name for p in (tmp_path / "report").iterdir()) == ["findings.json", "findings.md", "findings.sarif"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["nowhere"], 2, "no file or folder nowhere"),
        (["clean.jsonl", "--detectors", "ecko"], 2, "did you mean 'echo'"),
        (["clean.jsonl", "--alert-budget", "many"], 2, "0.5%"),
        (["clean.jsonl", "--json", "--sarif"], 2, "not both"),
        (["memory:nowhere.jsonl"], 2, "nowhere.jsonl"),
        (["clean.jsonl", "--queries", "nowhere.txt"], 2, "nowhere.txt"),
        ([], 2, "TARGET|FILE"),
        (["clean.jsonl", "--detectors", "repetition,marker", "--alert-budget", "0.01"], 0, ""),
    ],
)
def test_usage(cli: Cli, clean: Path, args: list[str], code: int, said: str) -> None:
    ended = cli("audit", *args)
    assert ended.code == code, ended.err
    assert said in ended.err


def test_without_the_extra(cli: Cli, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from darnel.audit import batch

    monkeypatch.setattr(batch, "find_spec", lambda name: None if name in ("pyarrow", "regex") else object())
    ended = cli("audit", clean)
    assert ended.code == 2
    assert "needs the packages pyarrow, regex; run: pip install 'darnel[audit]'" in ended.err


def test_unreadable(cli: Cli, clean: Path) -> None:
    with clean.open("a", encoding="utf-8") as file:
        file.write("{broken\n")
    ended = cli("audit", clean)
    assert ended.code == 2
    assert "1 unreadable" in ended.out
    assert "line 41: not JSON" in ended.out
    assert cli("audit", clean, "--allow-unreadable").code == 0


def test_fail_on(cli: Cli, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "c.jsonl", {"id": "a", "text": "Log in to your раураl page. A word\u200bin it."})
    assert cli("audit", path, "--fail-on", "high").code == 0
    assert cli("audit", path, "--fail-on", "medium").code == 1


def test_a_live_store_is_left_as_it_is(cli: Cli, folder: Path) -> None:
    """Chroma rewrites its own files even for a bare client that only reads, so what is compared is what they hold."""

    def held() -> dict[str, object]:
        with chroma.reading(folder) as collection:
            rows = collection.get(include=["documents", "metadatas", "embeddings"])
        parts = (rows["documents"], rows["metadatas"], map(list, rows["embeddings"]))
        return dict(zip(rows["ids"], zip(*parts, strict=True), strict=True))

    before = held()
    ended = cli("audit", f"chroma:{folder}#docs", "--embedder", HASHED, "--json")
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    (source,) = found["sources"]
    assert source["read"] == 40
    assert source["digest_before"] == source["digest_after"]
    assert {d["name"]: d["not_run"] for d in found["detectors"]}["reencode"] == ""
    assert held() == before


def test_a_store_that_changes_meanwhile_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from darnel.adapters.memory.corpus import MemoryCorpus
    from darnel.api.auditing import audit_corpus

    corpus = MemoryCorpus(corpora.make_records())
    results = audit_corpus(
        [corpus], progress=lambda *_: corpus.records.__setitem__("r0", Record("r0", "Another text.", None))
    )
    assert "changed during the audit" in results.errors[-1]
    assert results.exit_code == 2


def test_a_swapped_vector_in_a_live_store(cli: Cli, tmp_path: Path) -> None:
    records = corpora.make_records()
    records[7] = Record("r7", records[7].text, records[7].metadata, embed("something else"))
    chroma.build(tmp_path / "db", records)
    ended = cli("audit", f"chroma:{tmp_path / 'db'}#docs", "--embedder", HASHED, "--json")
    assert ended.code == 1
    assert [(f["record"], f["detector"]) for f in json.loads(ended.out)["findings"]] == [("r7", "reencode")]


def test_what_darnel_planted_is_found(cli: Cli, folder: Path, questions: Path) -> None:
    target = f"chroma:{folder}#docs"
    planted = cli("plant", target, "--queries", questions, "--embedder", HASHED, "-p", "echo:1")
    assert planted.code == 0, planted.err
    ended = cli("audit", target, "--detectors", "marker", "--json")
    assert ended.code == 1
    assert len(json.loads(ended.out)["findings"]) == 3
    assert cli("sweep").code == 0
    assert cli("audit", target, "--detectors", "marker").code == 0


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    top = tmp_path / "docs"
    top.mkdir()
    (top / "a\x1b[31m<b>&\u202e.md").write_text(
        f"{QUERY} {BAD} " * 9 + "<!-- " + f"hidden {BAD} words here now" + " -->", encoding="utf-8"
    )
    (top / "bad|`x`.md").write_bytes(b"\xff\x00" * 50)
    return top


def test_hostile_text(cli: Cli, hostile: Path, tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(f"{QUERY} {BAD}\n", encoding="utf-8")
    for form in ((), ("--json",), ("--sarif",)):
        ended = cli("audit", hostile, "--queries", "q.txt", *form, "--out", "report")
        assert ended.code == 1, ended.err
        inert(ended)
    page = (tmp_path / "report" / "findings.md").read_text(encoding="utf-8")
    assert harmless(page.replace("\n", ""))
    html = rendered(page)
    assert "<script" not in html
    assert "<a " not in html
    document = (tmp_path / "report" / "findings.sarif").read_text(encoding="utf-8")
    assert document.isascii()
    (run,) = json.loads(document)["runs"]
    told = [r["message"]["text"] for r in run["results"]]
    told += [r["locations"][0]["logicalLocations"][0]["name"] for r in run["results"]]
    told += [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert all(map(harmless, told))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    """A pipe that gives one batch of records and then waits: the audit is interrupted while it reads."""
    rows = [{"id": "bad", "text": f"{QUERY} " * 5}, *({"id": str(i), "text": f"Text {i}."} for i in range(1_200))]
    reader, writer = os.pipe()
    link = tmp_path / "feed.jsonl"
    code = (
        "import sys; from contextlib import nullcontext; from pathlib import Path\n"
        "from darnel.cli import progress\n"
        "progress.progress_bar = lambda *_: nullcontext(lambda *told: print('batch', file=sys.stderr, flush=True))\n"
        "from darnel.audit.readers.jsonl import JsonlReader\n"
        "from darnel.audit.readers import files\n"
        f"files.open_file = lambda path: JsonlReader(Path('/dev/fd/{reader}'))\n"
        f"from darnel.cli.main import main; main(['audit', {str(link)!r}, '--json', '--detectors', 'repetition'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], pass_fds=[reader], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as feed:
        feed.write("".join(json.dumps(row) + "\n" for row in rows))
        feed.flush()
        assert process.stderr is not None
        assert process.stderr.readline() == "batch\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    found = json.loads(out)
    assert found["interrupted"]
    assert found["read"] >= 1_000
    assert [f["record"] for f in found["findings"]] == ["bad"]
    assert "Interrupted" in err


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_a_terminal_sees_rate_and_time_left(tmp_path: Path) -> None:
    import pty

    path = write_lines(tmp_path / "c.jsonl", *({"id": str(i), "text": f"Text {i}."} for i in range(3_000)))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "darnel", "audit", str(path), "--json"]
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "160"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    told = b""
    while True:
        try:
            part = os.read(ours, 4_096)
        except OSError:  # the other end is closed
            break
        told += part
        if not part:
            break
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert json.loads(out)["read"] == 3_000
    shown = told.decode()
    assert "/s" in shown
    assert "records," in shown
    assert "left" in shown


def test_a_store_that_dies_before_the_second_digest_keeps_the_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    from darnel.adapters.memory.corpus import MemoryCorpus
    from darnel.api.auditing import audit_corpus

    corpus = MemoryCorpus([*corpora.make_records(), Record("bad", f"{QUERY} " * 5)])

    def gone(*_: object, **__: object) -> object:
        raise OSError("connection lost")

    results = audit_corpus(
        [corpus], progress=lambda what, *_: "examining" in what and monkeypatch.setattr(corpus, "scan", gone)
    )
    assert [f.record for f in results.findings] == ["bad"]
    assert "was not taken again" in results.errors[-1]
    assert results.exit_code == 2


def test_output_files_by_their_ending(cli: Cli, stuffed: Path, tmp_path: Path) -> None:
    names = ("a.html", "a.json", "a.jsonl", "a.csv", "a.md", "a.xml", "a.sarif")
    ended = cli("audit", stuffed, *(part for name in names for part in ("-o", f"deep/{name}")))
    assert ended.code == 1, ended.err
    assert {p.name for p in (tmp_path / "deep").iterdir()} == set(names)
    assert all("bad" in (tmp_path / "deep" / name).read_text(encoding="utf-8") for name in names)
    ended = cli("audit", stuffed, "-o", "a.pdf")
    assert (ended.code, "cannot tell the format of 'a.pdf'" in ended.err) == (2, True)


def test_only_what_is_new_fails(cli: Cli, stuffed: Path, tmp_path: Path) -> None:
    assert cli("audit", stuffed, "-o", "before.json").code == 1
    ended = cli("audit", stuffed, "--baseline", "before.json")
    assert ended.code == 0, ended.err
    assert "not counted: 1 known from before.json" in " ".join(ended.out.split())
    with stuffed.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "more", "text": "boat times " * 20}) + "\n")
    ended = cli("audit", stuffed, "--baseline", "before.json", "-o", "now.json", "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert [f["record"] for f in found["findings"]] == ["more"]
    assert [f["record"] for f in found["known"]] == ["bad"]
    assert cli("audit", stuffed, "--baseline", "now.json").code == 0  # what was known stays known


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read before.json"),
        ("{}", "is no findings document"),
        ("[[[", "is no findings document"),
        ("\xff", "is no findings document"),
    ],
)
def test_a_baseline_that_is_none(cli: Cli, stuffed: Path, tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "before.json").write_text(content, encoding="latin-1")
    ended = cli("audit", stuffed, "--baseline", "before.json")
    assert ended.code == 2
    assert said in ended.err


ACCEPTED = '[[suppress]]\ndetector = "repetition"\nrecord = "b*"\nreason = "a test page"\nuntil = {until}\n'


def test_what_is_suppressed_does_not_fail(cli: Cli, stuffed: Path, tmp_path: Path) -> None:
    (tmp_path / "accepted.toml").write_text(ACCEPTED.format(until="2999-01-01"), encoding="utf-8")
    ended = cli("audit", stuffed, "--suppress", "accepted.toml")
    assert ended.code == 0, ended.err
    assert "until 2999-01-01, a test page" in ended.out
    (tmp_path / "darnel.toml").write_text(ACCEPTED.format(until="2999-01-01"), encoding="utf-8")
    assert cli("audit", stuffed).code == 0  # the settings hold them too
    (tmp_path / "darnel.toml").write_text(ACCEPTED.format(until="2001-01-01"), encoding="utf-8")
    ended = cli("audit", stuffed)
    assert ended.code == 1
    assert "ended on 2001-01-01" in ended.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[[suppress]]\nreason = "x"\nuntil = 2999-01-01\n', "give a detector, a record or both"),
        ('[[suppress]]\ndetector = "echo"\nuntil = 2999-01-01\n', "give a reason"),
        ('[[suppress]]\ndetector = "echo"\nreason = "x"\nuntil = "2999-01-01"\n', "give the last day"),
        ('[[suppress]]\ndetector = "echo"\nrecords = "a"\nreason = "x"\nuntil = 2999-01-01\n', "did you mean 'record'"),
        ('[[suppres]]\ndetector = "echo"\n', "did you mean 'suppress'"),
        ("=", "cannot read accepted.toml"),
    ],
)
def test_suppressions_that_are_none(cli: Cli, stuffed: Path, tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "accepted.toml").write_text(content, encoding="utf-8")
    ended = cli("audit", stuffed, "--suppress", "accepted.toml")
    assert ended.code == 2
    assert said in ended.err
    assert cli("audit", stuffed, "--suppress", "nowhere.toml").code == 2


def test_suppressions_of_findings_are_no_business_of_a_run(tmp_path: Path) -> None:
    from darnel.cli.settings import load_acceptances, load_suppressions

    gate = '[[suppress]]\ncondition = "mrr > 1"\nreason = "x"\nuntil = 2999-01-01\n'
    (tmp_path / "darnel.toml").write_text(ACCEPTED.format(until="2999-01-01") + gate, encoding="utf-8")
    assert [one.condition for one in load_suppressions(tmp_path)] == ["mrr > 1"]
    assert [one.detector for one in load_acceptances(folder=tmp_path)] == ["repetition"]


def test_self_test(cli: Cli, folder: Path, questions: Path) -> None:
    given = ("audit", f"chroma:{folder}#docs", "--queries", questions, "--self-test", "--pattern", "echo:3")
    ended = cli(*given)
    assert ended.code == 0, ended.err
    assert "echo:3" in ended.out
    assert "100 %" in ended.out
    assert "corpus digest: before = after" in ended.out
    found = json.loads(cli(*given, "--json").out)
    assert found["patterns"][0]["recall"]["value"] == 1
    assert cli(*given, "-o", "a.html").code == 2
    assert cli("audit", f"chroma:{folder}#docs", "--pattern", "echo").code == 2
