"""Refuse to write where somebody else's record is."""

from __future__ import annotations

from collections.abc import Mapping

from darnel.core.corpus import Record
from darnel.core.errors import CollisionError
from darnel.core.plant import read_stamp


def refuse_foreign(found: Mapping[str, Record], campaign: str) -> None:
    """Check the records found under planned ids: each must be this campaign's own plant.

    Raises:
        CollisionError: one is the owner's, or another campaign's.
    """
    for id_, record in found.items():
        stamp = read_stamp(record.metadata)
        if stamp is None:
            raise CollisionError(
                f"record {id_} is the owner's and a plant was to be written there; nothing was written. "
                "Run again: every run draws ids of its own"
            )
        if stamp.campaign != campaign:
            raise CollisionError(f"record {id_} is a plant of campaign {stamp.campaign}; run: darnel sweep")
