"""Clean up after a crash, and say what is planted now: from the ledger, or from the store alone by its marks."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from darnel.core.corpus import CorpusDescription, CorpusReader, Target
from darnel.core.errors import DarnelError, TargetError, blame_target, describe_error
from darnel.core.plant import read_stamp
from darnel.core.planting.ledger import OPEN_STATES, CampaignRow, Ledger, PlantRow
from darnel.core.planting.removal import SETTLE, Leftover, remove_proved
from darnel.core.planting.waiting import read_all

FROM_STORE = "store"


@dataclass(frozen=True, slots=True)
class Found:
    """One campaign's plants in one corpus. ``origin``: ledger or store.

    ``unsure``: announced but never read back. ``running``: its process is alive, so it is left alone.
    """

    campaign: str
    container: str
    origin: str
    plants: frozenset[str]
    unsure: frozenset[str] = frozenset()
    present: frozenset[str] | None = None
    running: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Swept:
    """What sweeping one campaign came to."""

    found: Found
    removed: frozenset[str]
    leftovers: tuple[Leftover, ...]


def find_in_target(target: Target, ledger: Ledger | None, *, flush: bool = False) -> list[Found]:
    """Every campaign with plants in this corpus: those the ledger knows, and those only the store shows.

    With ``flush``, an id that nothing ever had is removed first: a store that still keeps the write of a killed process
    in a queue, where no read sees it, then shows it.

    Raises:
        TargetError: the corpus cannot be described or read.
    """
    with blame_target("reading the corpus"):
        where = target.injector.describe()
        if flush:
            target.injector.remove([str(uuid.uuid4())])
        found = [_from_ledger(row, ledger, target, where) for row in _campaigns_of(where, ledger)] if ledger else []
        known = {item.campaign for item in found}
        return [item for item in found if item.plants] + _from_store(target, where, known)


def find_by_ledger(ledger: Ledger, reopen: Callable[[CampaignRow], Target]) -> list[tuple[Found, Target | None]]:
    """Every unfinished campaign of the ledger, with its corpus reopened where it can be."""
    out: list[tuple[Found, Target | None]] = []
    for row in ledger.campaigns():
        plants = ledger.plants(row.id)
        if row.is_running():
            out.append((_found(row, plants, running=True), None))
        elif row.volatile or not plants:
            ledger.set_campaign(row.id, "closed")  # it lived in the memory of a process that is gone, or holds nothing
        else:
            try:
                target = reopen(row)
                with blame_target("reading the corpus"):
                    found = _from_ledger(row, ledger, target, target.injector.describe())
                out.append((found, target))
            except DarnelError as error:
                out.append((_found(row, plants, problem=describe_error(error)), None))
    return out


def sweep(found: Found, target: Target, ledger: Ledger | None, *, within: float = 10.0, watch: float = SETTLE) -> Swept:
    """Remove one campaign's plants, prove it, and bring the ledger up to date.

    ``watch``: seconds to look for late writes of plants that were announced and never seen.
    """
    removal = remove_proved(
        target.injector, found.campaign, found.plants, deadline=within, unsure=found.unsure, watch=watch
    )
    if ledger is not None and found.origin != FROM_STORE:
        states = [("removed", id_) for id_ in removal.removed]
        ledger.mark(found.campaign, [*states, *((left.state, left.id) for left in removal.leftovers)])
        if not removal.leftovers:
            ledger.set_campaign(found.campaign, "closed")
    return Swept(found, removal.removed, removal.leftovers)


def _campaigns_of(where: CorpusDescription, ledger: Ledger) -> Iterable[CampaignRow]:
    return [r for r in ledger.campaigns() if (r.backend, r.identity) == (where.backend, where.identity)]


def _from_ledger(row: CampaignRow, ledger: Ledger, target: Target, where: CorpusDescription) -> Found:
    if (where.backend, where.identity) != (row.backend, row.identity):
        raise TargetError(
            f"{row.container} is not the collection that campaign {row.id} planted into (it was deleted and made anew); "
            "its plants went with the old one"
        )
    plants = ledger.plants(row.id)
    present = read_all(target.injector, [p.id for p in plants])
    return _found(row, plants, running=row.is_running(), present=frozenset(present))


def _found(
    row: CampaignRow,
    plants: list[PlantRow],
    *,
    running: bool = False,
    present: frozenset[str] | None = None,
    problem: str | None = None,
) -> Found:
    return Found(
        campaign=row.id,
        container=f"{row.backend} {row.container}",
        origin=row.spec or "ledger",
        plants=frozenset(p.id for p in plants if p.state in OPEN_STATES),
        unsure=frozenset(p.id for p in plants if p.state == "writing"),
        present=present,
        running=running,
        problem=problem,
    )


def _from_store(target: Target, where: CorpusDescription, known: set[str]) -> list[Found]:
    """Plants that no ledger of ours speaks of, by the stamp on each record."""
    if target.reader is None:
        return []
    groups: dict[str, set[str]] = {}
    for record in target.reader.plants():
        stamp = read_stamp(record.metadata)
        if stamp is not None and stamp.campaign not in known:
            groups.setdefault(stamp.campaign, set()).add(record.id)
    container = f"{where.backend} {where.container}"
    found = {campaign: frozenset(ids) for campaign, ids in sorted(groups.items())}
    return [Found(campaign, container, FROM_STORE, ids, present=ids) for campaign, ids in found.items()]


def foreign_plants(reader: CorpusReader) -> int:
    """How many plants, of any campaign, the corpus holds now."""
    return len(reader.plants())
