"""Every line of docs/labs.md names tests that exist, and every lab's command is what its README tells to type."""

from __future__ import annotations

import re

from tests.support.command import ROOT


def test_every_line_is_held_by_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "labs.md").read_text(encoding="utf-8")
    there = {
        name
        for file in (ROOT / "examples").glob("*/tests/test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }
    rows = [line for line in text.splitlines() if line.startswith("|") and not line.startswith(("|---", "| the desc"))]
    assert len(rows) >= 25
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row.split("|")[-2])
        assert named, row
        assert set(named) <= there, row


def test_each_labs_command_is_in_its_readme() -> None:
    text = (ROOT / "docs" / "labs.md").read_text(encoding="utf-8")
    labs = re.findall(r"^## .*`examples/(\w+)`$", text, flags=re.MULTILINE)
    assert labs
    for lab in labs:
        readme = (ROOT / "examples" / lab / "README.md").read_text(encoding="utf-8")
        assert f"$ python -m {lab}" in readme
        assert f"`cd examples/{lab} && python -m {lab}`" in text
