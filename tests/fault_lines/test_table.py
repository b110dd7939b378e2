"""Every test that the table of fault lines names is there, and every fault line says which or why not."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "fault-lines.md"
NAMED = re.compile(r"`((?:tests|darnel)/[\w/]+\.py)::(\w+)`")
REFERENCE = re.compile(r"[\w.-]+/[\w.-]+#\d+")


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def rows() -> list[list[str]]:
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] != "fault" and not set(row[0]) <= set("-: ")]


def test_every_test_that_is_named_exists() -> None:
    named = NAMED.findall(TABLE.read_text(encoding="utf-8"))
    assert len(named) > 50
    missing = [f"{path}::{name}" for path, name in named if not (ROOT / path).is_file() or name not in names_in(path)]
    assert missing == []


def test_every_line_has_a_reference_and_a_test_or_a_reason() -> None:
    assert len(rows()) >= 72
    for row in rows():
        fault, does, held = row
        assert REFERENCE.search(fault), row
        assert does, row
        assert NAMED.search(held) or held.startswith("not reproduced here: "), row


def test_every_test_of_this_folder_is_in_the_table() -> None:
    named = set(NAMED.findall(TABLE.read_text(encoding="utf-8")))
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        if file.name != Path(__file__).name:
            path = f"tests/fault_lines/{file.name}"
            own = {(path, name) for name in names_in(path) if name.startswith("test_")}
            assert own <= named, own - named
