"""Prove that what an application retrieves can be seen, before anything it does not return is believed."""

from __future__ import annotations

from darnel.core.corpus import CaptureProof, Target
from darnel.core.planting.digest import sample_records
from darnel.core.planting.waiting import steadily

KNOWN_DOCUMENTS = 5
"""The owner's records that an application is asked for."""


def why_unseen(target: Target, seed: int = 0) -> str | None:
    """Why what the application retrieves cannot be seen, if so; a store that is asked itself needs no proof."""
    asked: object = target.retriever
    if not isinstance(asked, CaptureProof):
        return None
    if (reader := target.reader) is None:
        return "the corpus cannot be read, so there is no known document to ask for"
    known = steadily(lambda: sample_records(reader, target.injector, KNOWN_DOCUMENTS, seed))
    return asked.prove_capture(known)
