"""The result document: its exported schema, and reading it back."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from darnel.core.document import load_results, results_schema
from darnel.core.errors import UsageError
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from darnel.core.results import Results
from tests.core.running.test_runner import run
from tests.support.corpora import make_records
from tests.support.faulty import FaultyCorpus, NeverRemoves, SilentCorpus

SCHEMA = Path(__file__).parents[2] / "docs" / "results.schema.json"
QUICK = RunOptions(visible_within=0.2, gone_within=0.2, gates=["exposure@5 > 0.5"])


def test_the_exported_schema_is_the_codes() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == json.loads(json.dumps(results_schema())), (
        "run: make schema"
    )


@pytest.mark.parametrize("corpus", [FaultyCorpus, SilentCorpus, NeverRemoves])
def test_every_document_is_valid_by_the_exported_schema(ledger: Ledger, corpus: type[FaultyCorpus]) -> None:
    document = json.loads(run(corpus(make_records()), ledger, ["echo:1", "flood:2"], QUICK).to_json())
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    del document["observations"][0]["outcome"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_a_document_reads_back_as_it_was_written(ledger: Ledger, tmp_path: Path) -> None:
    results = run(FaultyCorpus(make_records()), ledger, options=QUICK)
    path = tmp_path / "results.json"
    path.write_bytes(results.to_json())
    assert load_results(path) == results
    assert list(json.loads(results.to_json())) == list(msgspec.structs.asdict(results))
    assert results.passed == (results.exit_code == 0)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'{"schema_version": 1}'])
def test_what_is_no_document_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(UsageError, match="is no darnel result document"):
        load_results(tmp_path / "r.json")
    with pytest.raises(UsageError, match=r"cannot read .*nope\.json: No such file"):
        load_results(tmp_path / "nope.json")


def test_a_document_of_another_version_is_not_guessed_at(ledger: Ledger, tmp_path: Path) -> None:
    document = json.loads(run(FaultyCorpus(make_records()), ledger, options=QUICK).to_json())
    (tmp_path / "r.json").write_text(json.dumps({**document, "schema_version": 99}))
    with pytest.raises(UsageError, match="version"):
        load_results(tmp_path / "r.json")
    assert isinstance(msgspec.convert(document, Results), Results)
