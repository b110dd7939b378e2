"""Everything the lab runs: the described comparison, and what goes beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec

from darnel.core.planting.ledger import Ledger
from darnel.embedders.base import Embedder
from ragtrust.attacks import ACROSS, ATTACKS, BASE, ECHO
from ragtrust.corpus import (
    STORES,
    embedder,
    in_memory,
    in_store,
    low_trust_questions,
    questions,
    questions_in_other_words,
)
from ragtrust.lists import View
from ragtrust.trial import Trial, compare_unattacked, run_trial

RETRIEVERS = ("counts", "bm25", "dense", "hybrid")
NEEDS_MODEL = ("dense", "hybrid")
FURTHER_DEFENCES = ("echo-filter", "dedupe", "quota", "trust+quota", "trust+echo-filter")
OTHER = "the questions in other words than the papers"
INSTALL = "pip install 'darnel[demo,qdrant]'"


@dataclass(frozen=True, slots=True)
class Cost:
    """Questions that only a paper of low trust answers, with nothing planted: what the defence does to honest text."""

    retriever: str
    ordinary: View
    defended: View


@dataclass(frozen=True, slots=True)
class Bench:
    """All results. ``main``: the comparison as described; ``skipped``: what could not be run, and why."""

    main: Trial
    attacks: Sequence[Trial] = ()
    across: Sequence[Trial] = ()
    further: Sequence[Trial] = ()
    costs: Sequence[Cost] = ()
    skipped: Sequence[str] = field(default_factory=tuple)

    @property
    def trials(self) -> list[Trial]:
        """Every trial."""
        return [self.main, *self.attacks, *self.across, *self.further]

    @property
    def clean(self) -> bool:
        """Whether every plant of every trial is proved gone and nothing else changed."""
        return all(trial.clean for trial in self.trials)


def run_main(ledger: Ledger) -> Trial:
    """The comparison as described: 12 papers and 6 planted ones, capped counts, 12 questions."""
    return run_trial(in_memory(), BASE, questions(), ledger)


def run_bench(ledger: Ledger) -> Bench:
    """The comparison, and everything beyond it that is installed."""
    model, asked = embedder(), questions()
    return Bench(
        main=run_main(ledger),
        attacks=[
            *(run_trial(in_memory(), attack, asked, ledger) for attack in ATTACKS),
            *(run_trial(in_memory(), replace(a, group=OTHER), questions_in_other_words(), ledger) for a in ACROSS),
        ],
        across=[*_across_retrievers(ledger, model), *_across_stores(ledger, model)],
        further=[
            run_trial(in_memory(), attack, asked, ledger, defence=defence)
            for attack in (BASE, ECHO)
            for defence in FURTHER_DEFENCES
        ],
        costs=[
            Cost(name, *compare_unattacked(in_memory(), low_trust_questions(), retriever=name, model=model))
            for name in _possible(model)
        ],
        skipped=list(_skipped(model)),
    )


def _possible(model: Embedder | None) -> list[str]:
    return [name for name in RETRIEVERS if model is not None or name not in NEEDS_MODEL]


def _across_retrievers(ledger: Ledger, model: Embedder | None) -> Iterator[Trial]:
    for name in _possible(model):
        for attack in ACROSS:
            yield run_trial(in_memory(), attack, questions(), ledger, retriever=name, model=model)


def _across_stores(ledger: Ledger, model: Embedder | None) -> Iterator[Trial]:
    for store, package in STORES.items():
        if model is None or not find_spec(package):
            continue
        with in_store(store, model) as target:
            for attack in ACROSS:
                yield run_trial(target, attack, questions(), ledger, retriever="own", model=model)


def _skipped(model: Embedder | None) -> Iterator[str]:
    if model is None:
        yield f"dense and hybrid search and the stores need the embedder wordllama: {INSTALL}"
        return
    for store, package in STORES.items():
        if not find_spec(package):
            yield f"{store} is not installed: {INSTALL}"
