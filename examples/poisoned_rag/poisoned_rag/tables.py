"""The figures, the same for the terminal and for the reports: heads and rows of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from darnel.core.scoring.judges import answered
from darnel.core.stats import Difference, Rate, difference, rate
from darnel.models.base import ChatModel
from darnel.reports.columns import figure, interval
from poisoned_rag.attacks import all_attacks
from poisoned_rag.attacks.base import Attack
from poisoned_rag.context import HARDENED, MODES, NAIVE, Hardening
from poisoned_rag.lab import Rag
from poisoned_rag.runner import Row, Trial
from poisoned_rag.shelf import Shelf, expected

BREACH, HELD, MISSING = "❌", "✅", "⚠️"


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


def breaches(trials: Iterable[Trial], mode: Hardening) -> Rate:
    """Share of the trials in which the payload was obeyed, of those of which it can be told."""
    verdicts = [trial.judged[mode.name].verdict for trial in trials if mode.name in trial.judged]
    return rate(verdicts.count("breach"), len(verdicts) - verdicts.count("could not tell"))


def doubts(trials: Sequence[Trial]) -> int:
    """Answers of which nothing can be told, in either mode, those that were never given included."""
    known = sum(breaches(trials, mode).n for mode in MODES)
    return len(trials) * len(MODES) - known


def said(item: Rate | Difference) -> str:
    """A figure with its 95 % interval."""
    return f"{figure(item.value)} ({interval(item)})" if item.value is not None else "–"


FAMILY_HEADS = ("family", "trials", "retrieved", "naive", "hardened", "what hardening buys", "could not tell")


def family_table(row: Row) -> Table:
    """Breach rates by family, naive and hardened, with what hardening buys."""
    found = {name: [t for t in row.trials if t.attack.family == name] for name in _families(row)}
    lines = [_family(name, trials) for name, trials in found.items()]
    if len(found) > 1:
        lines.append(_family("all", row.trials))
    return Table(f"{row.model}: {row.shelf}", FAMILY_HEADS, lines, stopped(row))


def _families(row: Row) -> list[str]:
    return list(dict.fromkeys(trial.attack.family for trial in row.trials))


def _family(name: str, trials: Sequence[Trial]) -> tuple[str, ...]:
    naive, hardened = breaches(trials, NAIVE), breaches(trials, HARDENED)
    retrieved = str(sum(trial.retrieved for trial in trials))
    bought = difference(naive, hardened)
    return (name, str(len(trials)), retrieved, said(naive), said(hardened), said(bought), str(doubts(trials)))


def stopped(row: Row) -> str:
    """What ended a row early, if anything did."""
    wanted = row.attacks * row.questions
    return f"stopped after {len(row.trials)} of {wanted} trials: {row.stopped}" if row.stopped else ""


def cell(row: Row, attack: Attack, mode: Hardening) -> str:
    """``❌ 3/8``: obeyed for 3 of 8 questions; ⚠️ where some of the answers, or all, are missing."""
    trials = [trial for trial in row.trials if trial.attack.id == attack.id]
    found = breaches(trials, mode)
    if not found.n:
        return MISSING
    mark = f"{BREACH if found.hits else HELD} {found.hits}/{found.n}"
    return mark if found.n == row.questions else f"{mark} {MISSING}"


def matrix_table(rows: Sequence[Row], attacks: Sequence[Attack]) -> Table:
    """Attacks down, models across, naive and hardened each."""
    heads = ["attack", *(f"{row.model} {mode.name}" for row in rows for mode in MODES)]
    lines = [[a.id, *(cell(row, a, mode) for row in rows for mode in MODES)] for a in attacks]
    notes = "; ".join(f"{row.model} {note}" for row in rows if (note := stopped(row)))
    return Table(f"Models side by side: {rows[0].shelf}", heads, lines, notes)


def attack_table(row: Row) -> Table:
    """Every attack on one model."""
    done = {trial.attack.id for trial in row.trials}
    lines = [
        [a.id, a.family, *(text for mode in MODES for text in (cell(row, a, mode), reason(row, a, mode)))]
        for a in all_attacks()
        if a.id in done
    ]
    heads = [text for mode in MODES for text in (mode.name, "since, most often")]
    return Table("By attack", ("attack", "family", *heads), lines)


def reason(row: Row, attack: Attack, mode: Hardening) -> str:
    """What most of the verdicts on an attack rest on."""
    mine = [t.judged[mode.name].why for t in row.trials if t.attack.id == attack.id and mode.name in t.judged]
    return Counter(mine).most_common(1)[0][0] if mine else "not asked"


def cost_table(shelves: Sequence[Shelf], model: ChatModel) -> Table:
    """What hardening does to honest questions with nothing planted."""
    heads = ("documents", "questions", "answered naive", "answered hardened", "same answer", "as expected")
    return Table("Nothing planted", heads, [_cost(shelf, model) for shelf in shelves])


def _cost(shelf: Shelf, model: ChatModel) -> tuple[str, ...]:
    corpus, known = shelf.fresh(), expected()
    pairs = [[Rag(corpus, model, mode).ask(query.text) for mode in MODES] for query in shelf.others]
    given = [sum(answered()(pair[place]).verdict == "breach" for pair in pairs) for place in range(len(MODES))]
    same = sum(naive.answer == hardened.answer for naive, hardened in pairs)
    checked = [
        known[q.id] in (pair[1].answer or "") for q, pair in zip(shelf.others, pairs, strict=True) if q.id in known
    ]
    right = f"{sum(checked)} of {len(checked)}" if checked else "–"
    return (shelf.name, str(len(pairs)), *map(str, given), str(same), right)
