"""One trial: plant, ask the ordinary and the defended retriever the same, recognise the plants, remove them, prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from darnel.core.asking.evidence import PlantIndex
from darnel.core.asking.ranking import Listing, ask
from darnel.core.corpus import Record, Source, Target
from darnel.core.errors import TargetError
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.crafting import Ground, craft
from darnel.core.planting.digest import CorpusDigest, compare_digests, take_digest
from darnel.core.planting.ledger import Ledger
from darnel.core.planting.waiting import read_all
from darnel.core.queries import Query
from darnel.core.trust import trust_of
from darnel.embedders.base import Embedder
from darnel.retrievers.defences import is_instruction, relevances
from darnel.retrievers.registry import with_retriever
from ragtrust.attacks import Attack
from ragtrust.corpus import attacked
from ragtrust.lists import Item, Ranked, View

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
    defence: str
    store: str
    ordinary: View
    defended: View
    planted: int
    removed: int
    clean: bool

    @property
    def verdict(self) -> str:
        """What the defence achieved, in words."""
        first, listed = self.defended.attack_at(1), self.defended.attack_at(K)
        if not self.ordinary.attack_at(K).hits:
            return "never retrieved, defended or not"
        lost = self.ordinary.retained.hits - self.defended.retained.hits
        cost = f"; trusted document lost for {lost} of {self.defended.retained.n}" if lost > 0 else ""
        if first.hits:
            return f"FAILS: first for {first.hits} of {first.n}{cost}"
        if listed.hits:
            return f"moved down, in the list for {listed.hits} of {listed.n}{cost}"
        return f"kept out of the list{cost}"


def run_trial(
    target: Target,
    attack: Attack,
    queries: Sequence[Query],
    ledger: Ledger,
    *,
    retriever: str = "counts",
    defence: str = DEFENCE,
    model: Embedder | None = None,
) -> Trial:
    """Plant the attack for the attacked questions, and ask all of them twice, with the same documents in place.

    Args:
        target: the corpus.
        attack: what is planted.
        queries: all questions, each with its trusted paper.
        ledger: the journal of plants.
        retriever: a base of darnel's, such as ``counts``, ``dense`` or ``own``, the store's own.
        defence: what the defended one has around it, such as ``trust`` or ``trust+quota``.
        model: the embedder of ``dense`` and ``hybrid``.

    Raises:
        TargetError: a plant could not be read back, so that the trial would say nothing.
        DarnelError: what darnel refuses; nothing is left behind.
    """
    search = {
        name: partial(_ask, with_retriever(target, name, model), queries)
        for name in (retriever, f"{retriever}+{defence}")
    }
    ordinary, defended = search.values()
    digest = _digest(target)
    before = ordinary(())
    campaign = Campaign(target.injector, ledger, spec=target.spec)
    with campaign:
        plants = _craft(attack, target, queries, campaign.id, before)
        planting = campaign.plant(plants)
        if planting.missing:
            raise TargetError(f"{len(planting.missing)} plants could not be read back ({planting.error or 'no error'})")
        views = _views(target, queries, ordinary(plants), defended(plants))
    same = [entry.ids(K) for entry in ordinary(())] == [entry.ids(K) for entry in before]
    proved = not campaign.leftovers and not compare_digests(digest, _digest(target))
    return Trial(
        attack.name,
        attack.group,
        retriever,
        defence,
        target.injector.describe().backend,
        *views,
        planted=campaign.planted,
        removed=campaign.removed,
        clean=same and proved and campaign.planted == campaign.removed,
    )


def compare_unattacked(
    target: Target, queries: Sequence[Query], *, retriever: str, model: Embedder | None = None
) -> tuple[View, View]:
    """The ordinary and the defended lists with nothing planted."""
    names = (retriever, f"{retriever}+{DEFENCE}")
    return _views(target, queries, *(_ask(with_retriever(target, name, model), queries, ()) for name in names))


def _digest(target: Target) -> CorpusDigest:
    assert target.reader is not None
    return take_digest(target.reader, target.injector, target.injector.describe().size)


def _craft(
    attack: Attack, target: Target, queries: Sequence[Query], campaign: str, before: Sequence[Listing]
) -> list[Plant]:
    passages = {q.id: [e.source.text or "" for e in found.entries] for q, found in zip(queries, before, strict=True)}
    options = RunOptions(k=K, metadata=attack.metadata)
    chosen = [q for q in queries if attacked(q)]
    return craft(attack.dose, Ground(chosen, passages, target.injector.describe(), campaign, options)).all()


def _ask(target: Target, queries: Sequence[Query], plants: Sequence[Plant]) -> list[Listing]:
    assert target.retriever is not None
    texts = [q.text for q in queries]
    return ask(target.retriever, texts, PlantIndex(plants), [lambda _plant: True] * len(texts), depth=DEPTH)


def _views(
    target: Target, queries: Sequence[Query], ordinary: Sequence[Listing], defended: Sequence[Listing]
) -> tuple[View, View]:
    """Both lists with both scores. What a search leaves out, Qdrant's the texts and their metadata, is read by id."""
    ids = sorted({e.source.id for listing in ordinary for e in listing.entries if e.source.id is not None})
    found = read_all(target.injector, ids)
    pairs = [_pair(found, *row) for row in zip(queries, ordinary, defended, strict=True)]
    return View(tuple(a for a, _ in pairs)), View(tuple(b for _, b in pairs))


def _pair(found: Mapping[str, Record], query: Query, ordinary: Listing, defended: Listing) -> tuple[Ranked, Ranked]:
    scores = relevances([entry.source for entry in ordinary.entries])
    before = {e.source.id: (place, own) for place, (e, own) in enumerate(zip(ordinary.entries, scores, strict=True), 1)}

    def ranked(listing: Listing, *, defence: bool) -> Ranked:
        items = [
            _item(
                query,
                found[e.source.id or ""],
                bool(e.plants),
                *before[e.source.id],
                e.source.score if defence else None,
            )
            for e in listing.entries[:K]
        ]
        return Ranked(query, attacked(query), tuple(items))

    return ranked(ordinary, defence=False), ranked(defended, defence=True)


def _item(query: Query, record: Record, planted: bool, place: int, own: float, final: float | None) -> Item:
    metadata = record.metadata or {}
    source = Source(record.id, record.text, metadata)
    return Item(
        id=record.id,
        title=str(metadata.get("title", "")),
        source=str(metadata.get("source", "")),
        text=record.text or "",
        trust=trust_of(source.metadata),
        suspicious=is_instruction(record.text),
        relevance=own,
        final=own if final is None else final,
        place_before=place,
        attack=planted,
        expected=query.judged.get(str(metadata.get("paper", record.id)), 0) > 0,
    )
