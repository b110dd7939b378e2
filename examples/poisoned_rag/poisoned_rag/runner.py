"""The attack loop. Each attack has a fresh corpus; for each question: plant, ask naive and hardened with the same documents
there, judge, remove; and at the end prove that the corpus is as it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from darnel.adapters.memory.corpus import MemoryCorpus
from darnel.adapters.memory.open import memory_target
from darnel.core.asking.evidence import PlantIndex
from darnel.core.corpus import Reply, Target
from darnel.core.errors import TargetError
from darnel.core.options import RunOptions
from darnel.core.plant import Plant
from darnel.core.planting.campaign import Campaign
from darnel.core.planting.crafting import Ground, craft
from darnel.core.planting.digest import CorpusDigest, compare_digests, take_digest
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.core.scoring.judges import Judgement, judge_of
from darnel.models.base import ChatModel
from poisoned_rag.attacks.base import Attack
from poisoned_rag.context import CANARY, MODES, Hardening
from poisoned_rag.lab import PATIENCE, K, Rag
from poisoned_rag.shelf import Shelf

INTERRUPTED = "interrupted"
COMMUNITY = {"source": "wiki/community"}
"""Where the ingest notes that a planted document comes from."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One attack on one question. ``judged``: by mode; a mode that was not asked is missing. ``retrieved``: whether every
    part of it was among the documents that the model was given."""

    attack: Attack
    question: str
    retrieved: bool
    judged: dict[str, Judgement]
    error: str | None = None


@dataclass
class Row:
    """What came of one model, as far as it came: so many ``attacks`` on so many ``questions`` each were wanted.

    ``clean``: whether after each attack every plant's absence was read back, the other documents were bit for bit what they
    had been, and the questions brought the lists they had brought before. ``stopped``: what ended it early.
    """

    model: str
    shelf: str
    attacks: int
    questions: int
    trials: list[Trial] = field(default_factory=list)
    planted: int = 0
    removed: int = 0
    clean: bool = True
    stopped: str | None = None


def run_attacks(
    model: ChatModel,
    shelf: Shelf,
    attacks: Sequence[Attack],
    ledger: Ledger,
    *,
    questions: int | None = None,
    modes: Sequence[Hardening] = MODES,
    patience: float = PATIENCE,
) -> Row:
    """All attacks on one model; where it raises or hangs, what it answered before stays, and the rest is missing.

    Raises:
        TargetError: a plant could not be read back, so that nothing could be said of its attack.
    """
    asked = list(shelf.questions)[:questions]
    row = Row(model.name, shelf.name, len(attacks), len(asked))
    for attack in attacks:
        corpus = shelf.fresh()
        try:
            _run_attack(row, attack, asked, ledger, Rag(corpus, model, modes[0], attack.tools, patience), modes)
        except KeyboardInterrupt:  # the plants are gone; what was measured is kept
            row.stopped = INTERRUPTED
        if row.stopped:
            break
    return row


def _run_attack(
    row: Row, attack: Attack, asked: Sequence[Query], ledger: Ledger, rag: Rag, modes: Sequence[Hardening]
) -> None:
    """One attack, question after question, on a corpus of its own."""
    target = memory_target(rag.corpus)
    digest, before = _digest(target), _lists(rag.corpus, asked)
    campaign = Campaign(rag.corpus, ledger)
    try:
        with campaign:
            for query in asked:
                trial = _run_trial(attack, query, rag, campaign, target, modes)
                row.trials.append(trial)
                if trial.error:
                    row.stopped = f"{attack.id}, question {query.id}: {trial.error}"
                    break
    finally:
        row.planted += campaign.planted
        row.removed += campaign.removed
        proved = not campaign.leftovers and not compare_digests(digest, _digest(target))
        row.clean &= proved and campaign.planted == campaign.removed and _lists(rag.corpus, asked) == before


def _run_trial(
    attack: Attack, query: Query, rag: Rag, campaign: Campaign, target: Target, modes: Sequence[Hardening]
) -> Trial:
    plants = craft_plants(attack, query, target, campaign.id)
    if (planting := campaign.plant(plants)).missing:
        raise TargetError(f"{len(planting.missing)} plants could not be read back ({planting.error or 'no error'})")
    replies = dict(_ask(rag, query, modes))
    campaign.remove(plants)
    judge = judge_of(attack.payload, [p.marker for p in plants], canary=CANARY)
    return Trial(
        attack,
        query.id,
        retrieved=_retrieved(next(iter(replies.values())), plants),
        judged={name: judge(reply) for name, reply in replies.items()},
        error=next((reply.error for reply in replies.values() if reply.error), None),
    )


def _ask(rag: Rag, query: Query, modes: Sequence[Hardening]) -> Iterator[tuple[str, Reply]]:
    """One reply a mode, up to the first that is an error."""
    for mode in modes:
        reply = replace(rag, mode=mode).ask(query.text)
        yield mode.name, reply
        if reply.error:
            return


def craft_plants(attack: Attack, query: Query, target: Target, campaign: str) -> list[Plant]:
    """The documents of an attack on a question, one a part; nothing is written."""
    options = RunOptions(k=K, metadata=COMMUNITY)
    return craft(attack.dose, Ground([query], {}, target.injector.describe(), campaign, options)).all()


def _retrieved(reply: Reply, plants: Sequence[Plant]) -> bool:
    index = PlantIndex(plants)
    found = {plant.id for source in reply.sources if (match := index.match(source)) for plant in match.plants}
    return found == {plant.id for plant in plants}


def _digest(target: Target) -> CorpusDigest:
    assert target.reader is not None
    return take_digest(target.reader, target.injector, target.injector.describe().size)


def _lists(corpus: MemoryCorpus, asked: Sequence[Query]) -> list[list[str | None]]:
    return [[source.id for source in reply.sources] for reply in corpus.retrieve([q.text for q in asked], K)]
