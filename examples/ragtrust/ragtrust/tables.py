"""The same figures for the terminal and for the page: heads and rows of text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from darnel.core.stats import Rate, mcnemar
from ragtrust.bench import OTHER, Bench, Cost
from ragtrust.lists import View
from ragtrust.trial import K, Trial


@dataclass(frozen=True, slots=True)
class Table:
    """One table; the last column is words."""

    title: str
    note: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


MEASURES: tuple[tuple[str, Callable[[View], Rate]], ...] = (
    ("attack@1", lambda view: view.attack_at(1)),
    (f"attack@{K}", lambda view: view.attack_at(K)),
    (f"trusted document retained@{K}", lambda view: view.retained),
    (f"attack document for a question not attacked@{K}", lambda view: view.spill),
)


def percent(rate: Rate) -> str:
    """``83 % (5 of 6, 44–97)``: the rate and its 95 % interval."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "–"
    return f"{rate.value:.0%} ({rate.hits} of {rate.n}, {100 * rate.low:.0f}–{100 * rate.high:.0f})".replace("%", " %")


def main_table(trial: Trial) -> Table:
    """Ordinary against defended, on identical documents and questions."""
    rows = [(name, percent(of(trial.ordinary)), percent(of(trial.defended))) for name, of in MEASURES]
    trusts = [f"{view.average_trust:.2f}" for view in (trial.ordinary, trial.defended)]
    note = (
        f"{trial.planted} documents planted beside 12, {trial.removed} removed; in brackets: counts and the 95 % interval "
        f"(Wilson). attack@1 differs with p = {first_place_p(trial):.3f} (exact McNemar test on the attacked questions)."
    )
    return Table("As described", note, ("", "ordinary", "defended"), [*rows, ("average source trust", *trusts)])


def first_place_p(trial: Trial) -> float:
    """P value of the change of attack@1, questions paired; 1 where none changed."""
    pairs = zip(trial.ordinary.lists, trial.defended.lists, strict=True)
    return mcnemar((a.has_attack(1), b.has_attack(1)) for a, b in pairs if a.attacked) or 1.0


HEADS = ("attack@1", f"attack@{K}", f"retained@{K}", "trust", "what the defence achieves")


def _cells(trial: Trial) -> tuple[str, ...]:
    plain, guarded = trial.ordinary, trial.defended
    rates = [of for _, of in MEASURES[:3]]
    shares = [f"{of(plain).value:.0%} → {of(guarded).value:.0%}".replace("%", " %") for of in rates]
    return (*shares, f"{plain.average_trust:.2f} → {guarded.average_trust:.2f}", trial.verdict)


def further_tables(bench: Bench) -> list[Table]:
    """What goes beyond the description; every cell is ordinary → defended."""
    tables = [
        Table(f"Beyond: {group}", "Capped counts.", ("attack", *HEADS), [(t.attack, *_cells(t)) for t in trials])
        for group, trials in groupby(bench.attacks, key=lambda trial: trial.group)
    ]
    across = [(t.retriever if t.retriever != "own" else f"{t.store}'s own", t.attack, *_cells(t)) for t in bench.across]
    defences = [(t.defence, t.attack, *_cells(t)) for t in bench.further]
    return [
        *tables,
        Table("Beyond: other retrievers, real stores", "", ("retriever", "attack", *HEADS), across),
        Table(
            "Beyond: other defences, alone and after trust", "Capped counts.", ("defence", "attack", *HEADS), defences
        ),
        Table(
            "What it costs honest documents of low trust",
            "Nothing planted; 3 questions that only a partner's or the forum's paper answers.",
            ("retriever", "first", f"among the first {K}"),
            [_cost(cost) for cost in bench.costs],
        ),
    ]


def _cost(cost: Cost) -> tuple[str, ...]:
    def first(view: View) -> int:
        return sum(one.items[0].expected for one in view.lists if one.items)

    n = len(cost.ordinary.lists)
    listed = f"{cost.ordinary.retained.hits} → {cost.defended.retained.hits} of {n}"
    return cost.retriever, f"{first(cost.ordinary)} → {first(cost.defended)} of {n}", listed


def failures(bench: Bench) -> list[str]:
    """Where an attack still comes first, or a trusted document is lost, in words."""
    told = [bench.main, *bench.attacks, *bench.across]
    trust = [t for t in told if t.defence == "trust"]
    found = [(t, t.verdict) for t in trust if t.verdict.startswith("FAILS") or "lost" in t.verdict]
    return list(
        dict.fromkeys(f"{t.retriever} over {t.store}, {t.attack}{_aside(t)}: {verdict}" for t, verdict in found)
    )


def _aside(trial: Trial) -> str:
    return f" ({trial.group})" if trial.group == OTHER else ""
