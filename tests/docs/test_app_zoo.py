"""The table of applications names every one that there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_table_has_every_application() -> None:
    page = (ROOT / "docs" / "app-zoo.md").read_text(encoding="utf-8")
    for zoo in (ROOT / "tests" / "apps").glob("*/zoo"):
        made = {p.stem for p in zoo.glob("*.py") if re.search(r"^def make\(", p.read_text(encoding="utf-8"), re.M)}
        assert made, zoo
        missing = {name for name in made if f"| `{name}` |" not in page}
        assert not missing, "run: python scripts/app_zoo.py"


def test_every_application_of_langchain_is_captured_and_cleaned() -> None:
    page = (ROOT / "docs" / "app-zoo.md").read_text(encoding="utf-8")
    section = page.partition("## LangChain\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) >= 16
    assert all("| 9 of 9 |" in row and row.endswith("| yes |") for row in rows)
