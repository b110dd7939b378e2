"""raginject's own runner, patterns and targets, as the released package has them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from darnel.core.corpus import Record
from darnel.core.planting.ledger import Ledger
from darnel.testing import word_embedder

QUESTIONS = {
    "harbour": "When does the harbour master open the gates?",
    "ferry": "What does the lantern on the pier mean?",
}
RECORDS = tuple(
    Record(f"doc-{number:02}", text, {"source": f"handbook/{number:02}.md", "lang": "en"})
    for number, text in enumerate(
        [
            "The harbour master opens the gates at six and rings the bell twice.",
            "Apples from the north orchard keep until March in a dry cellar.",
            "A lantern on the pier means that the ferry has left already.",
            "Saffron is picked before noon, while the flowers are still closed.",
            "Walnut shells, ground fine, polish brass without scratching it.",
            "The library lends maps for a week and atlases for a day.",
        ]
    )
)


@pytest.fixture
def embedder() -> Any:
    return word_embedder()


@pytest.fixture
def ledger_file(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def patterns() -> list[Any]:
    """Two of raginject's patterns, judged by whether the retriever returns their document."""
    import raginject

    criteria = raginject.SuccessCriteria(type="retrieval_match")
    return [
        raginject.AttackPattern(
            id=name,
            category="retriever_poisoning",
            description="repeats the question",
            injected_content=f"{question} {question} A harmless note.",
            question=question,
            success_criteria=criteria,
        )
        for name, question in QUESTIONS.items()
    ]


@pytest.fixture
def run(patterns: list[Any]) -> Callable[..., tuple[Any, list[str]]]:
    """Runs raginject's mode A; gives its result and the documents it could not clean up."""

    def start(target: Any, injector: Any, **settings: Any) -> tuple[Any, list[str]]:
        import raginject

        runner = raginject.Runner(target, corpus_injector=injector, **settings)
        runner.add_patterns(patterns)
        return runner.run(), runner.uncleaned_document_ids

    return start


def statuses(result: Any) -> list[tuple[str, str | None]]:
    return [(o.status, o.error) for o in result.outcomes]


def open_campaigns(path: Path) -> list[Any]:
    with Ledger(path) as ledger:
        return ledger.campaigns()
