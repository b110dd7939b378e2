"""What an adapter's author declares about the store: named booleans, each with a sentence, all true unless turned off."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import pytest


def _on(sentence: str) -> bool:
    found: bool = field(default=True, metadata={"sentence": sentence})
    return found


@dataclass(frozen=True, slots=True)
class Declared:
    """Abilities of the store, not promises of the adapter: turning one off says that the question cannot arise.

    A promise that the store could keep and the adapter does not is waived by ``xfail``, never here.
    """

    vectors: bool = _on("The store keeps a vector with each record, and the adapter embeds what it plants.")
    search: bool = _on("The adapter's target answers questions: it has a retriever.")
    scan: bool = _on("The adapter reads the whole corpus: its target has a reader.")
    neighbours: bool = _on("The store holds other containers or tenants beside the one under test.")
    reopens: bool = _on("The corpus outlives the object that opened it: a fresh injector finds the same records.")
    second_client: bool = _on("A second client of the application can look at the same store.")
    named: bool = _on("A container is opened by name, so that a name may be wrong.")
    empty: bool = _on("A container may be empty, and would take its dimension from the first vector written.")
    free_ids: bool = _on("Ids are free text, compared exactly: case, hyphens and every prefix matter.")
    checks: bool = _on("The preflight compares the embedder with stored vectors.")

    def need(self, ability: str) -> None:
        """Skip the test where an ability is turned off, with its sentence as the reason."""
        if not getattr(self, ability):
            pytest.skip(f"declared off: {ability} ({sentences()[ability]})")


def sentences() -> dict[str, str]:
    """Ability → what it means when it is on."""
    return {item.name: str(item.metadata["sentence"]) for item in fields(Declared)}
