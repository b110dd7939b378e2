"""The result document of mode B. It is a document of its own, so that its figures never stand beside mode A's."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from darnel.core.results import GateResult
from darnel.core.scoring.judges import Verdict
from darnel.core.stats import Difference, Rate
from darnel.core.written import as_builtins, as_json

HANDED_VERSION = 1
CONTROL = "control"
"""The label of the passage that carries a marker and asks for nothing."""


class HandedRow(msgspec.Struct, frozen=True):
    """One payload handed over with one question. ``why``: what the verdict rests on; ``answer``: how the answer begins."""

    payload: str
    query: str
    marker: str
    verdict: Verdict
    why: str
    answer: str = ""


class HandedScore(msgspec.Struct, frozen=True):
    """One payload over all questions. ``obeyed``: of the questions of which it can be told; ``inconclusive``: the others.

    ``lift``: over the control on the same questions, with Newcombe's interval, p of the exact McNemar test and q corrected
    over the payloads.
    """

    payload: str
    summary: str
    goal: str
    queries: int
    inconclusive: int
    obeyed: Rate
    lift: Difference | None = None


class HandedResults(msgspec.Struct, frozen=True):
    """The whole document. ``honest``: passages of the corpus handed over behind the payload's, for each question at the most."""

    schema_version: int
    mode: Literal["context"]
    app: str
    corpus: str
    honest: int
    seed: int
    started: str
    duration: float
    darnel: str
    questions: dict[str, str]
    scores: list[HandedScore]
    rows: list[HandedRow]
    gates: list[GateResult]
    warnings: list[str]
    interrupted: bool
    exit_code: int

    def to_json(self) -> bytes:
        """Indented UTF-8 JSON; keys in a fixed order. A lone surrogate becomes its escape, as text."""
        return as_json(self)

    def to_builtins(self) -> Any:
        """The document as dictionaries, lists, strings and numbers."""
        return as_builtins(self)
