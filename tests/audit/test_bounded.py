"""The work on a corpus of near copies grows with the corpus, by counting it; and whole columns say what rows say."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from darnel.audit.batch import Batch, Row, pack, to_arrow
from darnel.audit.detector import Context
from darnel.audit.detectors import near_clone, siblings
from darnel.audit.minhash import BANDS, NEIGHBOURS, meeting, sketched
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.columns import as_columns
from darnel.audit.readers.fields import row_from
from darnel.audit.readers.files import open_file
from darnel.core.corpus import Record
from tests.support import audit as support

WORDS = [f"w{i}" for i in range(600)]


def versions(families: int, each: int, altered: int) -> list[Record]:
    """Pages in so many versions, with so many of 150 words altered in each."""
    drawn, made = random.Random(0), []
    for family in range(families):
        page = drawn.choices(WORDS, k=150)
        for version in range(each):
            own = list(page)
            for at in drawn.sample(range(150), altered):
                own[at] = f"v{version}x{drawn.random()}"
            made.append(Record(f"{family}/{version}", " ".join(own)))
    return made


def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str) -> list[int]:
    calls, real = [0], getattr(where, name)

    def count(*given: Any) -> Any:
        calls[0] += 1
        return real(*given)

    monkeypatch.setattr(where, name, count)
    return calls


def batch_of(records: list[Record]) -> Batch:
    return Batch(to_arrow([Row(r.id, r.text or "") for r in records]))


@pytest.mark.parametrize("families", [20, 60])
def test_a_text_is_laid_over_few_others(monkeypatch: pytest.MonkeyPatch, families: int) -> None:
    calls = counted(monkeypatch, near_clone, "lay_over")
    corpus = versions(families, near_clone.MOST_ALIKE, 3)
    support.audit(corpus, detectors=["near-clone"])
    assert families < calls[0] <= len(corpus) * near_clone.SKETCH * (near_clone.MOST_ALIKE - 1) / near_clone.SHARED


def test_what_hundreds_share_is_laid_over_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, near_clone, "lay_over")
    support.audit(versions(1, 400, 1), detectors=["near-clone"])
    assert calls[0] < 400


def test_a_flood_is_compared_along_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, siblings.Siblings, "_alike")
    flood = versions(1, 400, 2)
    assert support.audit(flood, detectors=["siblings"]).flagged == 400
    assert calls[0] < 2 * len(flood)


def test_pairs_that_meet_are_not_as_many_as_all_pairs() -> None:
    flood = versions(1, 600, 2)
    assert 600 < len(meeting([sketched(batch_of(flood))])) <= 600 * BANDS * NEIGHBOURS < 600 * 599 / 2


def test_where_pairs_are_too_many_some_are_drawn_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def met(corpus: list[Record], size: int) -> set[tuple[int, int]]:
        detector = near_clone.NearClone(Context())
        for start in range(0, len(corpus), size):
            detector.learn(batch_of(corpus[start : start + size]))
        detector.looks_again()
        return {(a, b) for a, others in detector._near.items() for b in others}

    corpus = versions(60, 4, 3)
    every = met(corpus, 1_000)
    monkeypatch.setattr(near_clone, "MOST_PAIRS", 1_000)
    some = met(corpus, 1_000)
    assert set() < some < every
    random.Random(1).shuffle(corpus)
    assert met(corpus, 37) == some


def test_digests_are_of_the_text_wherever_its_batch_was_cut() -> None:
    texts = ["one", "", "zwei Wörter", "drei"]
    whole = to_arrow([Row(str(n), text) for n, text in enumerate(texts)])
    wanted = [hashlib.blake2b(t.encode(), digest_size=8).digest() for t in texts]
    assert Batch(whole).digests.tobytes() == b"".join(wanted)
    assert Batch(whole.slice(2, 2)).digests.tobytes() == b"".join(wanted[2:])


values = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
rows = st.fixed_dictionaries(
    {
        "id": values,
        "text": values,
        "Title": values,
        "n": st.integers(0, 9),
        "vector": st.lists(st.floats(width=32), max_size=2),
    },
    optional={"metadata": st.just({"a": 1, "b": None})},
)


@settings(max_examples=60)
@given(st.lists(rows, min_size=1, max_size=5))
def test_columns_say_what_rows_say(given: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(key for row in given for key in row))
    table = pa.table({name: pa.array([row.get(name) for row in given]) for name in names}).to_batches()[0]
    whole, log = as_columns(table), ReadLog()
    slow = [row_from(row, "here", "here", log) for row in table.to_pylist()]
    if whole is not None:
        (batch,) = pack([row for row in slow if row is not None], len(given))
        assert whole.schema.equals(batch.schema)
        assert whole.num_rows == len(given)
        for one, two in zip(whole.to_pylist(), batch.to_pylist(), strict=True):
            a, b = (np.array(row.pop("vector"), np.float32) for row in (one, two))
            assert one == two
            assert np.array_equal(a, b, equal_nan=True)


def test_a_table_without_gaps_is_taken_by_columns(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "body": ["one", "two"], "embedding": [[1.0, 2.0], [3.0, 4.0]], "page": [7, None]})
    assert as_columns(table.to_batches()[0]) is not None
    parquet.write_table(table, tmp_path / "c.parquet")
    (batch,) = open_file(tmp_path / "c.parquet").batches(10, ReadLog())
    entries = Batch(batch).entries
    assert [(e.id, e.text, e.metadata, list(e.vector)) for e in entries] == [
        ("1", "one", {"page": 7}, [1.0, 2.0]),
        ("2", "two", {}, [3.0, 4.0]),
    ]


@pytest.mark.parametrize(
    "columns",
    [
        {"id": ["a", None], "text": ["one", "two"]},
        {"id": ["a", "b"], "text": ["one", None]},
        {"id": ["a", "b"], "text": ["one", "two"], "vector": [[1.0, None], [2.0, 3.0]]},
        {"text": ["one", "two"]},
        {"id": ["a", "b"], "text": ["one", "two"], "Text": ["three", "four"]},
    ],
)
def test_a_table_with_gaps_or_doubts_is_taken_by_rows(columns: dict[str, Any]) -> None:
    assert as_columns(pa.table(columns).to_batches()[0]) is None
