"""Write docs/results.schema.json from the result document's types; a test fails where the two drift apart."""

from __future__ import annotations

import json
from pathlib import Path

from darnel.core.document import results_schema

TARGET = Path(__file__).parent.parent / "docs" / "results.schema.json"


def rendered() -> str:
    """The schema as the file should hold it."""
    return json.dumps(results_schema(), indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    TARGET.write_text(rendered(), encoding="utf-8")
