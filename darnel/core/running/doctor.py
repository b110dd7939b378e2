"""What ``doctor`` looks at beyond an adapter's own preflight; all of it read-only, but for the probe that must be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from darnel.core.asking.capture import why_unseen
from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import ask, place
from darnel.core.corpus import Check, CorpusDescription, Target
from darnel.core.errors import describe_error
from darnel.core.pattern import default_carrier
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.digest import sample_records
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.shape import plant_metadata
from darnel.core.planting.waiting import read_all

SAMPLE = 16
SEARCH_DEPTH = 10
CAPTURE = "capture"


def examine(target: Target) -> Iterator[Check]:
    """Every read-only check of a target, the adapter's own among them, in the order a person would ask."""
    try:
        where = target.injector.describe()
    except Exception as error:
        yield Check("reachable", False, describe_error(error), "Start the store, or check the target's address.")
        return
    yield Check("reachable", True, ", ".join(f"{k} {v}" for k, v in where.versions.items()) or where.backend)
    yield Check("container", True, f"{where.backend} {where.container} ({where.identity})")
    if target.app:
        yield Check("application", True, f"{target.app}, whose store is {where.backend} {where.container}")
        yield from _guarded(CAPTURE, lambda: iter([_captured(target)]))
    yield from _guarded("preflight", lambda: iter(target.checks()))
    yield _filter_keys(where)
    if where.size and target.reader is not None and where.capabilities.scan:
        yield from _guarded("read-back", lambda: iter([_read_back(target)]))
        yield from _guarded("search", lambda: iter([_search_reaches(target)]))


def probe(target: Target, ledger: Ledger, *, within: float = 10.0) -> Iterator[Check]:
    """Plant one document through a whole campaign and take it out again: ids kept, read back, found, removed."""
    with Campaign(target.injector, ledger, spec=target.spec, visible_within=within, gone_within=within) as campaign:
        plant = _probe_plant(campaign)
        planting = campaign.plant([plant])
        seen = plant.id in planting.visible
        why = planting.error or "it was not read back unchanged under the id it was given"
        detail = f"a planted document was read back after {planting.delay:.2f} s" if seen else why
        yield Check("probe: ids kept, text and metadata read back", seen, detail, "" if seen else _NOT_A_TARGET)
        if seen and target.retriever is not None and target.store_search:
            yield from _guarded("probe: search finds it", lambda: iter([_finds(target, plant)]))
        removal = campaign.remove()
        gone = not removal.leftovers
        detail = f"gone after {removal.delay:.2f} s, by reading back" if gone else removal.leftovers[0].reason
        yield Check("probe: delete works", gone, detail, "" if gone else "Run: darnel sweep")


_NOT_A_TARGET = "This store cannot be planted into safely; see the adapter's notes."


def _guarded(name: str, checks: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """What a check raises is its finding."""
    try:
        yield from checks()
    except Exception as error:
        yield Check(name, False, describe_error(error))


def _captured(target: Target) -> Check:
    """An application is asked for documents of its own corpus; what comes back must be seen."""
    if why := why_unseen(target):
        return Check(CAPTURE, False, why, "Until then every row of a run is inconclusive.")
    return Check(CAPTURE, True, "what the application returns for a known document is seen")


def _filter_keys(where: CorpusDescription) -> Check:
    """Keys with one value throughout are what applications filter by: tenants, languages, versions."""
    constant = ", ".join(f"{k}={v}" for k, v in where.shape.constant.items())
    detail = constant or "no metadata key has one value throughout the sample"
    return Check(
        "tenant and filter keys",
        True,
        detail,
        "" if constant else "Where the application filters: --metadata KEY=VALUE.",
    )


def _read_back(target: Target) -> Check:
    assert target.reader is not None
    records = sample_records(target.reader, target.injector, SAMPLE)
    found = read_all(target.injector, [r.id for r in records])
    ok = len(found) == len(records) > 0
    return Check("read-back", ok, f"{len(found)} of {len(records)} sampled records come back by id")


def _search_reaches(target: Target) -> Check:
    """Sampled records should be found by their own text; what is not may be beyond an index's reach."""
    if target.retriever is None or not target.store_search or target.reader is None:
        return Check("search", None, "not looked at: the target is asked through its application")
    records = [r for r in sample_records(target.reader, target.injector, SAMPLE) if r.text]
    replies = target.retriever.retrieve([r.text or "" for r in records], SEARCH_DEPTH)
    missed = [
        r.id for r, reply in zip(records, replies, strict=True) if r.id not in {source.id for source in reply.sources}
    ]
    detail = f"{len(records) - len(missed)} of {len(records)} sampled records are found by their own text"
    mend = (
        f"Not found: {', '.join(missed[:3])}. Records alike, or an index that lost them; rebuild it." if missed else ""
    )
    return Check("search reaches what read shows", True if not missed else None, detail, mend)


def _probe_plant(campaign: Campaign) -> Plant:
    marker = make_marker(0, "probe", campaign.id)
    return make_plant(
        identity=campaign.where.identity,
        campaign=campaign.id,
        pattern="probe",
        strength=1,
        query_id="doctor",
        copy=0,
        marker=marker,
        text=default_carrier(marker),
        metadata=plant_metadata(campaign.where.shape, marker),
    )


def _finds(target: Target, plant: Plant) -> Check:
    assert target.retriever is not None
    (listing,) = ask(
        target.retriever, [plant.text], PlantIndex([plant]), [lambda _p: True], depth=SEARCH_DEPTH, deepen=False
    )
    found = place(listing, plant)
    detail = f"at rank {found.rank}, by its {found.proof}" if found else "not among the first, by its own text"
    mend = "" if found else "Plants would be invisible to the application: filters, another index, or a stale snapshot."
    return Check("probe: search finds it", found is not None, detail, mend)
