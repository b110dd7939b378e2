"""Query files of every form, and what a broken one says: file, line, and what was expected there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from darnel.api import read_queries
from darnel.core.errors import QueryFileError
from darnel.core.queries import STANDARD_INPUT, Query, load_queries, make_queries


def load(tmp_path: Path, content: str | bytes, name: str = "queries.txt") -> list[Query]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_queries(path)


def texts(queries: list[Query]) -> list[tuple[str, str]]:
    return [(q.id, q.text) for q in queries]


def test_a_question_a_line(tmp_path: Path) -> None:
    assert texts(load(tmp_path, "one?\n\n  two?  \r\nthree?")) == [("q1", "one?"), ("q3", "two?"), ("q4", "three?")]


def test_beir_with_its_judgments(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\r\na\td1\t2\na\td2\t0\nx\td9\t1\n\n")
    (tmp_path / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\nb\td3\t1\n")
    found = load(tmp_path, '\ufeff{"_id": "a", "text": "one?"}\n{"_id": "b", "text": "two?"}\n', "queries.jsonl")
    assert texts(found) == [("a", "one?"), ("b", "two?")]
    assert [q.judged for q in found] == [{"d1": 2, "d2": 0}, {}]


def test_other_jsonl(tmp_path: Path) -> None:
    found = load(
        tmp_path, '{"question": "one?", "relevant": ["d1", 2]}\n{"query": "two?", "id": 7, "judged": {"d": 3}}'
    )
    assert texts(found) == [("q1", "one?"), ("7", "two?")]
    assert [q.judged for q in found] == [{"d1": 1, "2": 1}, {"d": 3}]


def test_csv(tmp_path: Path) -> None:
    found = load(tmp_path, 'ID,Question,note\n1,"one, or\nmore?",x\n2,two?\n')
    assert texts(found) == [("1", "one, or\nmore?"), ("2", "two?")]
    assert texts(load(tmp_path, "query\njust one?\n")) == [("q1", "just one?")]


def test_a_question_keeps_its_translations_and_says_where_it_stands(tmp_path: Path) -> None:
    path, judged = tmp_path / "queries.jsonl", tmp_path / "q.tsv"
    path.write_text('\n{"_id": "a", "text": "one?", "translations": ["eins?"]}\n')
    judged.write_text("a\td1\t1\n")
    for (query,) in (read_queries(path), read_queries(path, [judged])):
        assert query.translations == ("eins?",)
        assert query.where == f"{path}:2"
    assert load_queries(["one?"], STANDARD_INPUT)[0].where == ""
    assert read_queries(["one?"])[0].where == ""


def test_qrels_of_trec_form_too(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("a\t0\td1\t1\n")
    (tmp_path / "queries.txt").write_text('{"_id": "a", "text": "one?"}')
    assert read_queries(tmp_path / "queries.txt", [tmp_path / "q.tsv"])[0].judged == {"d1": 1}


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        ("", "queries.txt", "no queries in it"),
        ("\n \n", "queries.txt", "no queries in it"),
        ('{"text": "a"}\n{"text": \n', "queries.txt:2", "not JSON"),
        ('{"text": "a"}\n["b"]\n', "queries.txt:2", "expected a text, a mapping"),
        (
            '{"text": "a"}\n\n{"txt": "b"}\n',
            "queries.txt:3",
            "no query text; expected one of the keys text, query, question",
        ),
        ('{"text": "a"}\n{"text": 5}\n', "queries.txt:2", "no query text"),
        ('{"text": "a"}\n{"text": "  "}\n', "queries.txt:2", "no query text"),
        ('{"_id": "a", "text": "a"}\n{"_id": "a", "text": "b"}\n', "queries.txt:2", "query id 'a' stands twice"),
        ('{"text": "a"}\n{"text": "a\\u0000b"}\n', "queries.txt:2", "a NUL character"),
        ('{"text": "a"}\n{"text": "a\\ud800b"}\n', "queries.txt:2", "a lone surrogate"),
        ('{"text": "a"}\n{"text": "b", "_id": "\\u0000"}\n', "queries.txt:2", "a NUL character"),
        ('{"text": "a"}\n{"text": "b", "relevant": "d1"}\n', "queries.txt:2", "'relevant' must be a list"),
        ('{"text": "a"}\n{"text": "b", "relevant": {"d1": "x"}}\n', "queries.txt:2", "whole-number grade"),
        ("one\n\ntwo \0 three\n", "queries.txt:3", "a NUL character"),
        (b"one\ntwo\nthr\xe9e\nfour\n", "queries.txt:3", "not UTF-8 text"),
        (b'{"text": "a"}\n{"text": "\xff"}\n', "queries.txt:2", "not UTF-8 text"),
        ("id,text\n1,a\n2,\n", "queries.txt:3", "no query text"),
        ("id,text\n1,a\n1,b\n", "queries.txt:3", "query id '1' stands twice"),
        ('id,text\n1,"a" b\n', "queries.txt:2", "not CSV"),
        ("id,text\n1," + "x" * 140_000 + "\n", "queries.txt:2", "not CSV"),
    ],
)
def test_a_broken_file_names_its_line(tmp_path: Path, content: str | bytes, where: str, message: str) -> None:
    with pytest.raises(QueryFileError) as error:
        load(tmp_path, content)
    said = str(error.value)
    assert said.startswith(f"{tmp_path / where}: ")
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"query-id\tcorpus-id\tscore\na\td1\t1\na\td2\tmuch\n", "q.tsv:3: expected query-id, corpus-id"),
        (b"query-id\tcorpus-id\tscore\na d1 1\n", "q.tsv:2: expected query-id, corpus-id"),
        (b"query-id\tcorpus-id\tscore\na\t\xff\t1\n", "q.tsv:2: not UTF-8 text"),
    ],
)
def test_broken_judgments_name_their_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "q.tsv").write_bytes(content)
    (tmp_path / "queries.txt").write_text("one?\n")
    with pytest.raises(QueryFileError, match=message):
        read_queries(tmp_path / "queries.txt", [tmp_path / "q.tsv"])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(QueryFileError, match=r"nope\.txt: No such file"):
        read_queries(tmp_path / "nope.txt")
    (tmp_path / "queries.txt").write_text("one?\n")
    with pytest.raises(QueryFileError, match=r"nope\.tsv: No such file"):
        read_queries(tmp_path / "queries.txt", [tmp_path / "nope.tsv"])


def test_a_line_of_a_megabyte_is_a_question_like_any_other(tmp_path: Path) -> None:
    (found,) = load(tmp_path, "x" * 1_000_000)
    assert len(found.text) == 1_000_000


def test_queries_from_python() -> None:
    given_ = ["one?", {"question": "two?", "id": "b"}, Query("c", "three?")]
    assert texts(make_queries(given_)) == [("q1", "one?"), ("b", "two?"), ("c", "three?")]


@pytest.mark.parametrize(
    "given_", [[], [""], ["a", " "], [5], [Query("a", "")], [Query("a", "x"), Query("a", "y")], ["\0"], ["\ud800"]]
)
def test_queries_from_python_that_will_not_do(given_: list[object]) -> None:
    with pytest.raises(QueryFileError, match="quer"):
        make_queries(given_)  # type: ignore[arg-type]


storable = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).map(str.strip).filter(bool)
)


@given(st.lists(storable, min_size=1, max_size=5))
def test_jsonl_gives_back_any_text(tmp_path_factory: pytest.TempPathFactory, given_: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    for ascii_only in (True, False):
        lines = [json.dumps({"text": text}, ensure_ascii=ascii_only) for text in given_]
        path.write_text("\n".join(lines), encoding="utf-8")
        assert [q.text for q in read_queries(path)] == given_
