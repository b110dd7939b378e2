"""Where tenants' records lie: a campaign for each place, plants of several tenants at a time, and the proof for all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType

from darnel.core.asking.waves import is_exact
from darnel.core.corpus import CorpusDescription, RecordShape, Target
from darnel.core.errors import EmptyCorpusError, TargetError, blame_target
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.digest import CorpusDigest, compare_digests, take_digest
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.waiting import steadily
from darnel.core.results import Cleanup, DigestInfo, LeftoverInfo
from darnel.core.running.assemble import digest_info
from darnel.core.running.runner import refuse_failed
from darnel.tenants.model import Tenant, TenantOptions
from darnel.tenants.texts import Sower


class NotRemovedError(TargetError):
    """Plants could not be removed, so nothing more is planted."""


class Field:
    """The tenants' places; a context manager that leaves nothing planted. Tenants that share an injector share a campaign.

    Raises:
        DarnelError: a place does not hold; nothing was planted.
    """

    def __init__(self, tenants: Sequence[Tenant], ledger: Ledger, options: TenantOptions) -> None:
        self._options, self._ledger = options, ledger
        self.places = list({id(t.place.injector): t.place for t in tenants}.values())
        self.warnings: list[str] = []
        self._campaigns = {id(place.injector): self._campaign(place) for place in self.places}
        self._of = {t.name: self._campaigns[id(t.place.injector)] for t in tenants}
        self.warnings += [w for c in self.campaigns for w in _strange_keys(c, tenants)]
        self._sowers = {
            t.name: Sower(self._of[t.name], number, {**options.metadata, **t.metadata}, options.seed)
            for number, t in enumerate(tenants)
        }
        self.digests: list[CorpusDigest | None] = [None] * len(self.places)
        self._known: dict[str, Plant] = {}
        self._stack = ExitStack()
        self.slowest = {"visible": 0.0, "gone": 0.0}

    def __enter__(self) -> Field:
        with ExitStack() as undo:
            for campaign in self.campaigns:
                undo.enter_context(campaign)
            self.digests = [self._digest(place) for place in self.places]
            self._stack = undo.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.__exit__(kind, error, tb)

    @property
    def campaigns(self) -> list[Campaign]:
        """One for each place."""
        return list(self._campaigns.values())

    @property
    def exact(self) -> bool:
        """Whether every place compares every record, so that none is lost by an index."""
        return all(is_exact(p, c.where) for p, c in zip(self.places, self.campaigns, strict=True))

    def next_attempt(self) -> None:
        """From here on plants are other ones than before."""
        for sower in self._sowers.values():
            sower.attempt += 1

    def sower(self, tenant: str) -> Sower:
        """What makes that tenant's plants."""
        return self._sowers[tenant]

    @contextmanager
    def planted(self, plants: Mapping[str, Sequence[Plant]]) -> Iterator[str]:
        """Plant for each tenant, and remove on the way out; gives why it cannot be asked, or nothing.

        Raises:
            NotRemovedError: it could not be removed.
        """
        groups: dict[int, list[Plant]] = {}
        for tenant, group in plants.items():
            groups.setdefault(id(self._of[tenant]), []).extend(group)
        by_campaign = [(c, groups[id(c)]) for c in self.campaigns if id(c) in groups]
        self._known.update((p.id, p) for group in groups.values() for p in group)
        problem = ""
        try:
            for campaign, group in by_campaign:
                planting = campaign.plant(group)
                self.slowest["visible"] = max(self.slowest["visible"], planting.delay)
                if planting.missing:
                    why = planting.error or f"not read back within {planting.delay:.1f} s"
                    problem = f"{len(planting.missing)} of {len(group)} plants did not become visible: {why}"
            yield problem
        finally:
            for campaign, group in by_campaign:
                removal = campaign.remove(group)
                self.slowest["gone"] = max(self.slowest["gone"], removal.delay)
        if any(campaign.leftovers for campaign in self.campaigns):
            raise NotRemovedError("plants could not be removed, so nothing more was planted")

    def cleanup(self) -> Cleanup:
        """How many were planted and removed."""
        planted, removed = (sum(getattr(c, name) for c in self.campaigns) for name in ("planted", "removed"))
        return Cleanup(planted, removed, round(self.slowest["visible"], 3), round(self.slowest["gone"], 3))

    def leftovers(self) -> list[LeftoverInfo]:
        """What may still be there."""
        left = [item for campaign in self.campaigns for item in campaign.leftovers]
        return [LeftoverInfo(i.id, (p := self._known[i.id]).name, p.marker, i.state, i.reason) for i in left]

    def prove(self) -> list[DigestInfo]:
        """Whether all other records are what they were; for places that can be read whole."""
        pairs = [(b, self._digest(place, b)) for place, b in zip(self.places, self.digests, strict=True) if b]
        return [digest_info(before, after, compare_digests(before, after)) for before, after in pairs if after]

    def _campaign(self, place: Target) -> Campaign:
        with blame_target("describing the corpus"):
            where = steadily(place.injector.describe)
        if where.size == 0:
            raise EmptyCorpusError(f"{container(where)} is empty: fill it first, or nothing competes with the plants")
        with blame_target("looking the corpus over"):
            checks = list(place.checks())
        refuse_failed(checks, self._options.accept)
        self.warnings += [f"{c.name}: {c.detail}. {c.mend}".strip() for c in checks if c.ok is not True]
        return Campaign(
            place.injector,
            self._ledger,
            spec=place.spec,
            visible_within=self._options.visible_within,
            gone_within=self._options.gone_within,
            notify=self._options.notify,
            description=where,
        )

    def _digest(self, place: Target, like: CorpusDigest | None = None) -> CorpusDigest | None:
        reader, where = place.reader, self._campaigns[id(place.injector)].description
        if reader is None or where is None or not where.capabilities.scan:
            return None
        with blame_target("reading the corpus"):
            return steadily(lambda: take_digest(reader, place.injector, where.size, seed=self._options.seed, like=like))


def _strange_keys(campaign: Campaign, tenants: Sequence[Tenant]) -> Iterator[str]:
    """A key that the records do not have separates nothing, and everything planted looks like a breach."""
    shape = campaign.description.shape if campaign.description else RecordShape()
    for key in dict.fromkeys(key for t in tenants if t.place.injector is campaign.injector for key in t.metadata):
        if shape.sampled and key not in shape.template:
            known = ", ".join(shape.template) or "none in common"
            yield (
                f"tenant key: most of the {shape.sampled} records looked at have no metadata key '{key}' (they have: {known}); "
                "where tenants are told apart by another one, what is found here means nothing"
            )


def container(where: CorpusDescription) -> str:
    """A place in words."""
    return f"{where.backend} {where.container}"
