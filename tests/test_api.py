"""The Python entry: ``darnel.run`` and ``darnel.open_target``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import darnel
from darnel.adapters.memory import MemoryCorpus
from darnel.core.corpus import Target
from darnel.core.errors import LedgerError
from tests.support import chroma, corpora
from tests.support.command import HASHED, environment
from tests.support.embedder import hashed

TEXTS = [q.text for q in corpora.make_query_list()]


def test_a_run_from_a_spec_an_object_and_a_target(folder: Path) -> None:
    from_spec = darnel.run(f"chroma:{folder}#docs", TEXTS, ["echo:1"], embedder=HASHED)
    with chroma.reading(folder) as collection:
        from_object = darnel.run(collection, TEXTS, ["echo:1"], embedder=hashed)
    assert from_spec.exit_code == from_object.exit_code == 0
    assert from_spec.observations == from_object.observations
    corpus = MemoryCorpus(corpora.make_records())
    assert darnel.run(corpus, TEXTS, ["echo"]).exit_code == 0
    assert darnel.run(Target(corpus, corpus, corpus), TEXTS, ["echo"]).scores[0].pattern == "control:1"


def test_questions_from_a_file_with_its_judgments(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "a", "text": "flour and yeast"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\tr0\t1\n")
    found = darnel.run(MemoryCorpus(corpora.make_records()), tmp_path / "queries.jsonl", ["echo"], k=3)
    assert found.queries[0].judged == 1
    assert found.target.k == 3


def test_options_and_ledger(tmp_path: Path) -> None:
    corpus = MemoryCorpus(corpora.make_records())
    options = darnel.RunOptions(seed=4, k=2)
    assert darnel.run(corpus, TEXTS, ["echo"], options=options).run.seed == 4
    assert darnel.run(corpus, TEXTS, ["echo"], options=options, k=7).target.k == 7
    with darnel.Ledger(tmp_path / "own.db") as ledger:
        darnel.run(corpus, TEXTS, ["echo"], ledger=ledger)
        assert len(ledger.campaigns(unfinished=False)) == 1  # still open, still the caller's
    darnel.run(corpus, TEXTS, ["echo"], ledger=tmp_path / "other.db")
    assert (tmp_path / "other.db").exists()


def test_a_ledger_that_fails_closes_what_was_opened(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for _ in range(2):  # the folder's lock was given back
        with pytest.raises(LedgerError):
            darnel.run(
                f"chroma:{folder}#docs", TEXTS, ["echo"], embedder=HASHED, ledger=tmp_path / "file" / "ledger.db"
            )
    import chromadb

    chromadb.PersistentClient(str(folder), settings=chromadb.Settings(allow_reset=True)).close()


@pytest.mark.parametrize("k", [0, -1])
def test_options_that_cannot_be(k: int) -> None:
    for bad in ({"k": k}, {"seed": -1}, {"max_inconclusive": 1.5}, {"visible_within": -1.0}, {"gone_within": -0.1}):
        with pytest.raises(darnel.DarnelError):
            darnel.RunOptions(**bad)  # type: ignore[arg-type]


COMPLETIONS = ["", "ru", "run --", "run --isolation ", "run x -p ", "sweep --", "nonsense ", "nonsense --x"]


@pytest.mark.parametrize("words", COMPLETIONS)
def test_completion_is_quick_and_says_nothing_else(words: str, tmp_path: Path) -> None:
    program = (
        "import sys\nfrom darnel.cli.main import _run\n"
        "try: _run([])\nexcept SystemExit: pass\n"
        "heavy = [m for m in ('chromadb', 'numpy', 'rich', 'scipy', 'msgspec', 'langchain_core', 'llama_index', 'qdrant_client') if m in sys.modules]\n"
        "print(heavy, file=sys.stderr)"
    )
    line = f"darnel {words}"
    variables = {"_DARNEL_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(variables),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "[]\n"
    if words == "ru":
        assert done.stdout == "plain,run\n"


def test_unknown_names_are_attribute_errors() -> None:
    module: Any = darnel
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        module.nope  # noqa: B018
    assert "run" in dir(darnel)
