"""A corpus that attacks whoever looks at it: its texts, ids, metadata keys and values reach no terminal raw."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from darnel.core.corpus import Record
from tests.reports.test_escape import harmless, rendered
from tests.support import chroma, corpora
from tests.support.command import HASHED, Outcome
from tests.support.embedder import embed

Cli = Callable[..., Outcome]
BAD = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\u2066<script>alert(1)</script>|`[x](javascript:1)\x7f\u200b"


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """A Chroma folder whose every record is hostile, beside some that are not."""
    texts = [f"How do flour and yeast go with oven? {BAD} {i}" for i in range(6)]
    texts += ["How do flour and yeast go with oven? " + "x" * 1_000_000, "How do flour and yeast go with\0 oven?"]
    bad = [Record(f"id{i}{BAD}", t, {f"key{BAD}": f"{BAD}{i}", "tenant": BAD}, embed(t)) for i, t in enumerate(texts)]
    chroma.build(tmp_path / "db", [*corpora.make_records(6), *bad])
    return f"chroma:{tmp_path / 'db'}#docs"


@pytest.fixture
def args(tmp_path: Path) -> list[str]:
    (tmp_path / "q.jsonl").write_text(
        json.dumps({"_id": f"q{BAD}", "text": f"How do flour and yeast go with oven? {BAD}"}) + "\n", encoding="utf-8"
    )
    return ["--queries", "q.jsonl", "--embedder", HASHED]


def inert(ended: Outcome) -> None:
    for text in (ended.out, ended.err):
        assert harmless(text.replace("\n", ""))
        assert max(map(len, text.split("\n")), default=0) < 50_000


def test_a_run(cli: Cli, hostile: str, args: list[str], tmp_path: Path) -> None:
    ended = cli("run", hostile, *args, "--out", "report")
    assert ended.code == 0, ended.err
    inert(ended)
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert harmless(page.replace("\n", ""))
    html = rendered(page)
    assert "<script" not in html
    assert "<a " not in html


def test_json_output(cli: Cli, hostile: str, args: list[str]) -> None:
    ended = cli("run", hostile, *args, "-p", "echo", "--json")
    inert(ended)
    found = json.loads(ended.out)
    assert found["queries"][0]["id"] == f"q{BAD}"
    assert any(BAD in i for i in found["queries"][0]["baseline"])


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_everything_that_only_looks(cli: Cli, hostile: str, args: list[str], json_too: list[str]) -> None:
    inert(cli("doctor", hostile, "--embedder", HASHED, *json_too))
    inert(cli("run", hostile, *args, "--dry-run", *json_too))
    inert(cli("status", hostile, *json_too))


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_a_hostile_record_that_poses_as_a_plant(cli: Cli, hostile: str, args: list[str], json_too: list[str]) -> None:
    planted = cli("plant", hostile, *args, "-p", "echo", *json_too)
    assert planted.code == 0, planted.err
    inert(planted)
    folder = Path(hostile.removeprefix("chroma:").removesuffix("#docs"))
    with chroma.reading(folder) as collection:
        (id_,) = chroma.kit_records(collection)
        stamp = collection.get(ids=[id_], include=["metadatas"])["metadatas"][0]
        forged = {k: v for k, v in stamp.items() if k.startswith("darnel")}
        collection.add(ids=[f"forged{BAD}"], documents=[BAD], metadatas=[forged], embeddings=[embed("x")])
    inert(cli("status", hostile, *json_too))
    inert(cli("sweep", hostile, "--dry-run", *json_too))
    (folder.parent / "ledger.db").unlink()
    swept = cli("sweep", hostile, "--within", 0.2, *json_too)
    inert(swept)
    assert swept.code == 3  # the forged one is not removed, and is named
    assert "forged" in swept.out + swept.err
    with chroma.reading(folder) as collection:
        assert collection.get(ids=[f"forged{BAD}"], include=[])["ids"] == [f"forged{BAD}"]


def test_errors_that_repeat_what_they_were_given(cli: Cli, hostile: str, tmp_path: Path) -> None:
    for args in (
        ["run", f"chr{BAD}:x"],
        ["run", f"chroma:{BAD}#docs"],
        ["run", hostile, "-p", BAD],
        ["run", hostile, "--fail-on", BAD],
    ):
        inert(cli(*args, "--queries", "q"))
    (tmp_path / "darnel.toml").write_text(
        f'"{BAD}"= 1\n'.replace("\x1b", "\\u001b").replace("\x07", "\\u0007").replace("\x7f", "\\u007f")
    )
    inert(cli("status"))
