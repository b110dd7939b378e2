"""How far the sources that came back are trusted, before and while a pattern is planted."""

from __future__ import annotations

import math
from collections.abc import Mapping

from darnel.core.asking.ranking import Entry, Listing
from darnel.core.planting.waiting import read_all, steadily
from darnel.core.running.run import Run
from darnel.core.trust import claims_trust, trust_of

Trusts = Mapping[str, float]
"""Record id → the trust its metadata claims."""


def read_trust(run: Run) -> dict[str, float]:
    """The trust of every record of the owner's among the first k of any list; empty where the corpus says nothing of trust."""
    if not claims_trust(run.description.shape.template):
        return {}
    listings = [*run.baseline, *(a.listing for wave in run.waves for a in wave.answers if a.listing is not None)]
    ids = sorted({id_ for listing in listings for id_ in listing.own_ids(run.options.k) if id_ is not None})
    records = steadily(lambda: read_all(run.target.injector, ids)) if ids else {}
    return {id_: trust_of(record.metadata) for id_, record in records.items()}


def mean_trust(listing: Listing | None, trusts: Trusts, k: int) -> float | None:
    """Mean trust of the first ``k`` sources; None where there are none, or one of which nothing was read."""
    if listing is None or listing.error or not trusts or not listing.entries:
        return None
    found = [_trust(entry, trusts) for entry in listing.entries[:k]]
    known = [value for value in found if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(found) else None


def trust_change(before: Listing | None, after: Listing | None, trusts: Trusts, k: int) -> tuple[float, float] | None:
    """Mean trust of a question's first ``k`` sources before and while a pattern is planted, where both are known."""
    was, now = (mean_trust(listing, trusts, k) for listing in (before, after))
    return None if was is None or now is None else (was, now)


def _trust(entry: Entry, trusts: Trusts) -> float | None:
    if entry.plants:
        return trust_of(entry.plants[0].metadata)
    return None if entry.source.id is None else trusts.get(entry.source.id)
