"""Every record is read or counted: broken bytes, broken lines, enormous fields, links, and files that are no text."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from darnel.audit.batch import Batch, Entry, schema
from darnel.audit.readers import jsonl as jsonl_reader
from darnel.audit.readers.base import MOST_TEXT, Reader, ReadLog
from darnel.audit.readers.corpus import StoreReader
from darnel.audit.readers.files import open_file
from darnel.core.corpus import Record
from darnel.core.errors import TargetError, UsageError
from tests.support.audit import Listed


def read(reader: Reader, size: int = 2) -> tuple[list[Entry], ReadLog]:
    log = ReadLog()
    entries = []
    for arrow in reader.batches(size, log):
        assert arrow.schema == schema()
        assert 0 < arrow.num_rows <= size
        entries += Batch(arrow, reader.name).entries
    return entries, log


def what(log: ReadLog, kind: str) -> dict[str, str]:
    return {p.where: p.what for p in log.problems if p.kind == kind}


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    lines = [
        b'\xef\xbb\xbf{"_id": "a", "title": "T", "text": "one", "metadata": {"tag": "x"}, "vector": [1, 2.5]}',
        b'{"text": "broken \xff byte"}',
        b"{not json",
        b"",
        b'["no object"]',
        b'{"id": "b", "body": 7, "embedding": "none", "n": null}',
        b'{"id": "c", "nothing": 1}',
        b'{"id": "d", "text": "lone \\ud800 surrogate"}',
        b'{"id": "e", "text": ' + b"[" * 100_000,
        b'{"id": "f", "text": "nul \\u0000 inside"}',
    ]
    path.write_bytes(b"\n".join(lines))
    entries, log = read(open_file(path))
    assert [e.id for e in entries] == ["a", "line 2", "b", "d", "f"]
    assert entries[0].metadata == {"title": "T", "tag": "x"}
    assert list(entries[0].vector) == [1, 2.5]
    assert entries[1].text == "broken \ufffd byte"
    assert entries[2].text == "7"
    assert entries[3].text == "lone \ufffd surrogate"
    assert entries[4].text == "nul \0 inside"
    assert set(what(log, "unreadable")) == {"line 3", "line 5", "line 7", "line 9"}
    assert set(what(log, "repaired")) == {"line 2", "line 8"}
    assert (log.unreadable, log.repaired) == (4, 2)


def test_a_line_beyond_all_measure_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl_reader, "MOST_LINE", 1_000)
    path = tmp_path / "c.jsonl"
    rows = [{"id": "a", "text": "one"}, {"id": "b", "text": "x" * 5_000}, {"id": "c", "text": "two"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    entries, log = read(open_file(path))
    assert [e.id for e in entries] == ["a", "c"]
    assert what(log, "unreadable") == {"line 2": "the line is longer than 1,000 bytes"}


def test_an_enormous_text_is_cut_and_said(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "y" * (MOST_TEXT + 10)}), encoding="utf-8")
    entries, log = read(open_file(path))
    assert len(entries[0].text) == MOST_TEXT
    assert log.repaired == 1
    assert "4,194,314" in what(log, "repaired")["line 1"]


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(b'id,Text,tag\na,"one, two",x\nb,three\nc,\xfffour,\nd,"five\nsix",y\n\ne,nul\x00,z\n')
    entries, log = read(open_file(path))
    assert [(e.id, e.text) for e in entries] == [
        *(("a", "one, two"), ("c", "\ufffdfour"), ("d", "five\nsix"), ("e", "nul\0")),
    ]
    assert entries[0].metadata == {"tag": "x"}
    assert what(log, "unreadable") == {"row 2": "2 cells under 3 headings"}


def test_csv_without_a_text_column(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    entries, log = read(open_file(path))
    assert not entries
    assert log.unreadable == 1


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    table = pa.table(
        {"id": ["a", "b", "c"], "text": ["one", None, "three"], "embedding": [[1.0, 2.0], None, [3.0, 4.0]]}
    )
    parquet.write_table(table, path)
    reader = open_file(path)
    assert reader.total == 3
    entries, log = read(reader)
    assert [(e.id, e.text) for e in entries] == [("a", "one"), ("c", "three")]
    assert list(entries[1].vector) == [3.0, 4.0]
    assert set(what(log, "unreadable")) == {"row 2"}


def test_parquet_with_a_string_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    broken = pa.array([b"good", b"\xff\xfe", b"fine"], type=pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"text": broken}), path)
    entries, log = read(open_file(path))
    assert [e.text for e in entries] == ["good", "fine"]
    assert set(what(log, "unreadable")) == {"row 2"}


def test_what_is_no_parquet(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(TargetError, match=r"c\.parquet"):
        open_file(path)


def test_folder(tmp_path: Path) -> None:
    top = tmp_path / "docs"
    (top / "sub").mkdir(parents=True)
    (top / ".git").mkdir()
    (top / "b.md").write_text("# B", encoding="utf-8")
    (top / "sub" / "a.html").write_text("<p>A</p>", encoding="utf-8")
    (top / "utf16.txt").write_bytes("wide ä".encode("utf-16"))
    (top / "latin.txt").write_bytes("viel Gr\xfcn, und noch mehr Worte".encode("latin-1"))
    (top / "bomb.md").write_bytes(b"PK\x03\x04" + os.urandom(4_000))
    (top / "logo.png").write_bytes(b"\x89PNG")
    (top / "empty.md").write_bytes(b"")
    (top / "loop").symlink_to(top, target_is_directory=True)
    (top / "dangling.md").symlink_to(top / "nowhere.md")
    os.mkfifo(top / "pipe.md")
    entries, log = read(open_file(top))
    assert {e.id: e.text for e in entries} == {
        "b.md": "# B",
        "empty.md": "",
        "latin.txt": "viel Gr\ufffdn, und noch mehr Worte",
        "sub/a.html": "<p>A</p>",
        "utf16.txt": "wide ä",
    }
    assert set(what(log, "unreadable")) == {"bomb.md"}
    assert set(what(log, "repaired")) == {"latin.txt"}
    assert set(what(log, "skipped")) == {".git", "dangling.md", "logo.png", "loop", "pipe.md"}


def test_a_zip_bomb_by_the_name_of_a_page_is_no_text_and_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.md", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("zeros", bytes(50_000_000))
    assert (tmp_path / "bomb.md").stat().st_size < 100_000
    entries, log = read(open_file(tmp_path))
    assert not entries
    assert set(what(log, "unreadable")) == {"bomb.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text", encoding="utf-8")
    (tmp_path / "a.md").chmod(0)
    _, log = read(open_file(tmp_path))
    assert set(what(log, "unreadable")) == {"a.md"}


def test_a_file_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("text", encoding="utf-8")
    opened = Path.open

    def gone(self: Path, *args: object, **kwargs: object) -> object:
        if self.name == "a.md":
            raise FileNotFoundError(2, "No such file or directory")
        return opened(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", gone)
    _, log = read(open_file(tmp_path))
    assert "No such file" in what(log, "unreadable")["a.md"]


def test_a_single_page(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text", encoding="utf-8")
    entries, _ = read(open_file(tmp_path / "a.md"))
    assert [(e.id, e.text) for e in entries] == [("a.md", "text")]


def test_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.exe").write_bytes(b"MZ")
    with pytest.raises(UsageError, match="JSONL"):
        open_file(tmp_path / "a.exe")
    with pytest.raises(TargetError, match="nowhere"):
        open_file(tmp_path / "nowhere")


def test_a_store(tmp_path: Path) -> None:
    named = {"dense": [1.0, 0.0], "sparse": {"indices": [1], "values": [0.5]}}
    records = [
        Record("a", None, None, [1.0, 2.0]),
        Record("b", "x", {"n": 1}, named),
        Record("c\ud800", "\ud800", {"k": "\ud800"}),
    ]
    entries, log = read(StoreReader(Listed(records), "store", vectors=True))
    assert [(e.id, e.text) for e in entries] == [("a", ""), ("b", "x"), ("c\ufffd", "\ufffd")]
    assert [None if e.vector is None else list(e.vector) for e in entries] == [[1.0, 2.0], [1.0, 0.0], None]
    assert entries[1].metadata == {"n": 1}
    assert log.repaired == 1
