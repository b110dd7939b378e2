"""SARIF 2.1.0 by its structure, and against its schema where $SARIF_SCHEMA names the file (it may not be shipped here)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.readers.files import open_file
from darnel.audit.results import AuditResults
from darnel.reports.findings_sarif import sarif


@pytest.fixture
def results(tmp_path: Path) -> AuditResults:
    top = tmp_path / "docs"
    top.mkdir()
    (top / "a b.md").write_text(
        "# Title\n\nferry times ferry times ferry times ferry times ferry times\n", encoding="utf-8"
    )
    (top / "broken.md").write_bytes(b"\xff\x00" * 50)
    lines = tmp_path / "c.jsonl"
    lines.write_text(json.dumps({"id": "x/<1>", "text": "a w\u200bo\u200br\u200bd"}) + "\n", encoding="utf-8")
    return run_audit([open_file(top), open_file(lines)], AuditOptions())


def test_structure(results: AuditResults, tmp_path: Path) -> None:
    document = sarif(results)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert len(run["results"]) == len(results.findings) == 2
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        assert 0 <= result["rank"] <= 100
    places = {r["ruleId"]: r["locations"][0] for r in run["results"]}
    page = places["repetition"]["physicalLocation"]
    assert page["artifactLocation"]["uri"].endswith("docs/a%20b.md")
    assert page["region"] == {"startLine": 3}
    line = places["hidden-characters"]
    assert line["physicalLocation"]["artifactLocation"]["uri"].endswith("c.jsonl")
    assert line["logicalLocations"][0]["name"] == "x/<1>"
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    assert any("broken.md" in n["message"]["text"] for n in invocation["toolExecutionNotifications"])


def test_fingerprints_do_not_depend_on_the_rest_of_the_corpus(results: AuditResults, tmp_path: Path) -> None:
    def prints(found: AuditResults) -> dict[str, Any]:
        return {r["ruleId"]: r["partialFingerprints"] for r in sarif(found)["runs"][0]["results"]}

    (tmp_path / "docs" / "more.md").write_text("Another page.", encoding="utf-8")
    again = run_audit([open_file(tmp_path / "docs"), open_file(tmp_path / "c.jsonl")], AuditOptions())
    assert again.read == results.read + 1
    assert prints(again) == prints(results)


@pytest.mark.skipif("SARIF_SCHEMA" not in os.environ, reason="$SARIF_SCHEMA names no copy of OASIS's schema")
def test_schema(results: AuditResults) -> None:
    import jsonschema

    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text(encoding="utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(sarif(results))
