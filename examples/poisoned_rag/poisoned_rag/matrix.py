"""Several models side by side: the whole corpus of attacks once for each, and partial rows where one fails."""

from __future__ import annotations

from collections.abc import Sequence

from darnel.core.planting.ledger import Ledger
from darnel.models.base import ChatModel
from poisoned_rag.attacks.base import Attack
from poisoned_rag.lab import PATIENCE
from poisoned_rag.runner import INTERRUPTED, Row, run_attacks
from poisoned_rag.shelf import Shelf


def run_matrix(
    models: Sequence[ChatModel],
    shelf: Shelf,
    attacks: Sequence[Attack],
    ledger: Ledger,
    *,
    questions: int | None = None,
    patience: float = PATIENCE,
) -> list[Row]:
    """A row a model. One that fails midway keeps what it answered; after an interruption no further model is asked."""
    rows: list[Row] = []
    for model in models:
        if rows and rows[-1].stopped == INTERRUPTED:
            asked = len(list(shelf.questions)[:questions])
            rows.append(Row(model.name, shelf.name, len(attacks), asked, stopped=INTERRUPTED))
        else:
            rows.append(run_attacks(model, shelf, attacks, ledger, questions=questions, patience=patience))
    return rows
