"""The guide to patterns, followed literally."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import darnel
from darnel.adapters.memory import MemoryCorpus
from darnel.core.pattern import Pattern
from darnel.patterns.template import SLOTS
from tests.support.command import darnel_process
from tests.support.corpora import make_query_list, make_records

GUIDE = Path(__file__).parents[2] / "docs" / "writing-a-pattern.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def blocks(language: str) -> list[str]:
    return [code for kind, code in BLOCKS if kind == language]


def test_the_template_of_the_guide_is_shown_by_the_command_of_the_guide(tmp_path: Path) -> None:
    (tmp_path / "memo.toml").write_text(blocks("toml")[0])
    look = blocks("console")[0].splitlines()[0].removeprefix("$ darnel ")
    shown = darnel_process(["patterns", "./memo.toml", "--query", re.findall(r'"(.*?)"', look)[0]], tmp_path)
    assert shown.code == 0, shown.err
    assert "Subject: Who may enter the hangar?. Regarding may enter hangar may enter hangar: This notice" in shown.out


def test_every_slot_is_explained() -> None:
    assert set(re.findall(r"^\| `\{(\w+)\}`", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)) == set(SLOTS)


def test_the_function_of_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"collection": MemoryCorpus(make_records()), "embedder": None}
    exec(blocks("python")[0], scope)
    assert isinstance(scope["quoted"], Pattern)
    code = blocks("python")[1].replace('["Who may enter the hangar?"]', "QUESTIONS")
    exec(code, {**scope, "QUESTIONS": [q.text for q in make_query_list()]}, scope)
    results = scope["results"]
    assert isinstance(results, darnel.Results)
    assert [s.pattern for s in results.scores] == ["control:1", "honest:1", "quoted:1", "quoted:3"]


def test_the_entry_point_of_the_guide_is_the_group_that_is_read() -> None:
    from darnel.patterns.registry import ENTRY_POINTS

    assert tomllib.loads(blocks("toml")[1])["project"]["entry-points"] == {
        ENTRY_POINTS: {"quoted": "your_package.patterns:quoted"}
    }
