"""One trial: plant, ask the ordinary and the defended retriever the same, recognise the plants, remove them, prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ragtrust.attacks import Attack
from ragtrust.corpus import attacked
from ragtrust.lists import Item, Ranked, View

from darnel.core.campaign import Campaign
from darnel.core.corpus import Source, Target
from darnel.core.crafting import Ground, craft
from darnel.core.digest import compare_digests, take_digest
from darnel.core.errors import TargetError
from darnel.core.evidence import PlantIndex
from darnel.core.ledger import Ledger
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.queries import Query
from darnel.core.ranking import Listing, ask
from darnel.embedders.base import Embedder
from darnel.retrievers.defences import is_instruction, relevance, trust_of
from darnel.retrievers.registry import with_retriever

K = 3
DEPTH = 39
"""Every document, so that each place of the defended list is known in the ordinary one."""
DEFENCE = "trust"


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one attack. ``clean``: every plant's absence was read back, the other records are bit for bit what they
    were, and the questions bring the lists they brought before."""

    attack: str
    group: str
    retriever: str
    store: str
    ordinary: View
    defended: View
    planted: int
    removed: int
    clean: bool


def run_trial(
    target: Target,
    attack: Attack,
    queries: Sequence[Query],
    ledger: Ledger,
    *,
    retriever: str = "counts",
    model: Embedder | None = None,
) -> Trial:
    """Plant the attack for the attacked questions, and ask all of them twice, with the same documents in place.

    Args:
        target: the corpus.
        attack: what is planted.
        queries: all questions, each with its trusted paper.
        ledger: the journal of plants.
        retriever: a base of darnel's, such as ``counts``, ``dense`` or ``own``, the store's own.
        model: the embedder of ``dense`` and ``hybrid``.

    Raises:
        TargetError: a plant could not be read back, so that the trial would say nothing.
        DarnelError: what darnel refuses; nothing is left behind.
    """
    search = {name: partial(_ask, with_retriever(target, name, model), queries) for name in (retriever, f"{retriever}+{DEFENCE}")}
    ordinary, defended = search.values()
    digest = _digest(target)
    before = ordinary(())
    campaign = Campaign(target.injector, ledger, spec=target.spec)
    with campaign:
        plants = _craft(attack, target, queries, campaign.id, before)
        planting = campaign.plant(plants)
        if planting.missing:
            raise TargetError(f"{len(planting.missing)} plants could not be read back ({planting.error or 'no error'})")
        lists = [ordinary(plants), defended(plants)]
    same = [entry.ids(K) for entry in ordinary(())] == [entry.ids(K) for entry in before]
    proved = not campaign.leftovers and not compare_digests(digest, _digest(target))
    return Trial(
        attack.name,
        attack.group,
        retriever,
        target.injector.describe().backend,
        *_views(queries, *lists),
        planted=campaign.planted,
        removed=campaign.removed,
        clean=same and proved and campaign.planted == campaign.removed,
    )


def compare_unattacked(
    target: Target, queries: Sequence[Query], *, retriever: str, model: Embedder | None = None
) -> tuple[View, View]:
    """The ordinary and the defended lists with nothing planted."""
    names = (retriever, f"{retriever}+{DEFENCE}")
    return _views(queries, *(_ask(with_retriever(target, name, model), queries, ()) for name in names))


def _digest(target: Target):  # noqa: ANN202
    assert target.reader is not None
    return take_digest(target.reader, target.injector, target.injector.describe().size)


def _craft(
    attack: Attack, target: Target, queries: Sequence[Query], campaign: str, before: Sequence[Listing]
) -> list[Plant]:
    passages = {q.id: [e.source.text or "" for e in found.entries] for q, found in zip(queries, before, strict=True)}
    options = RunOptions(k=K, carrier=attack.carrier, metadata=attack.metadata)
    chosen = [q for q in queries if attacked(q)]
    return craft(attack.dose, Ground(chosen, passages, target.injector.describe(), campaign, options)).all()


def _ask(target: Target, queries: Sequence[Query], plants: Sequence[Plant]) -> list[Listing]:
    assert target.retriever is not None
    texts = [q.text for q in queries]
    return ask(target.retriever, texts, PlantIndex(plants), [lambda _plant: True] * len(texts), depth=DEPTH)


def _views(queries: Sequence[Query], ordinary: Sequence[Listing], defended: Sequence[Listing]) -> tuple[View, View]:
    pairs = [
        _pair(query, plain, guarded) for query, plain, guarded in zip(queries, ordinary, defended, strict=True)
    ]
    return View(tuple(a for a, _ in pairs)), View(tuple(b for _, b in pairs))


def _pair(query: Query, ordinary: Listing, defended: Listing) -> tuple[Ranked, Ranked]:
    scores = {e.source.id: relevance(e.source, rank) for rank, e in enumerate(ordinary.entries, 1)}
    places = {e.source.id: rank for rank, e in enumerate(ordinary.entries, 1)}

    def ranked(listing: Listing, *, final: bool) -> Ranked:
        items = [
            _item(query, e.source, bool(e.plants), scores, places, final=final) for e in listing.entries[:K]
        ]
        return Ranked(query, attacked(query), tuple(items))

    return ranked(ordinary, final=False), ranked(defended, final=True)


def _item(
    query: Query,
    source: Source,
    planted: bool,
    scores: Mapping[str | None, float],
    places: Mapping[str | None, int],
    *,
    final: bool,
) -> Item:
    own, metadata = scores[source.id], source.metadata or {}
    return Item(
        id=source.id or "",
        title=str(metadata.get("title", "")),
        source=str(metadata.get("source", "")),
        text=source.text or "",
        trust=trust_of(source),
        suspicious=is_instruction(source.text),
        relevance=own,
        final=(source.score or 0.0) if final else own,
        place_before=places[source.id],
        attack=planted,
        expected=query.judged.get(str(metadata.get("paper", source.id)), 0) > 0,
    )
