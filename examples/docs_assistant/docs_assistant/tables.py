"""Results as tables of text, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from darnel.core.stats import Rate
from darnel.reports.escape import markdown
from darnel.tenants.wording import verdict as tenants_verdict
from docs_assistant.cases import FAMILIES
from docs_assistant.evaluate import COULD_NOT_TELL, Outcome
from docs_assistant.lab import Run


@dataclass(frozen=True, slots=True)
class Table:
    """One table, and what is to be said below it."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: Sequence[str] = ()


def percent(rate: Rate) -> str:
    """``83 % (5 of 6, 44–97)``: the rate and its 95 % interval."""
    if rate.value is None or rate.low is None or rate.high is None:
        return "–"
    return f"{rate.value:.0%} ({rate.hits} of {rate.n}, {100 * rate.low:.0f}–{100 * rate.high:.0f})".replace("%", " %")


def tables(run: Run) -> Iterator[Table]:
    """Everything of one store."""
    found = run.evaluation
    outcomes = found.outcomes
    rows = [(family, *(_cell(o, family) for o in outcomes)) for family in FAMILIES]
    rows.append(("attack success rate", *(_cell(o, "") for o in outcomes)))
    rows.append(("abstention rate, unanswerable questions", *(percent(o.abstained) for o in outcomes)))
    rows.append(("answerable questions that are answered", *(percent(o.served) for o in outcomes)))
    modes = tuple(o.mode for o in outcomes)
    yield Table(f"{found.store}: 14 cases", ("", *modes), rows, list(_notes(run)))
    if untold := [(o.mode, r.name, r.why) for o in outcomes for r in (*o.rows, *o.fair) if r.verdict == COULD_NOT_TELL]:
        yield Table(f"{found.store}: could not tell", ("mode", "case", "why"), untold)
    if run.ablated:
        yield Table(
            f"{found.store}: each control taken away",
            ("", "attack success rate", "injection off topic", "abstention", "answered", "passages to the model"),
            [_ablation(*pair) for pair in zip(run.ablated, run.off_topic, strict=True)],
        )
    if run.beyond:
        row = ("indirect_injection", *(_cell(o, "") for o in run.beyond))
        title = (
            f"{found.store}: beyond the description, a copy of the page and a model that hides what it was asked to say"
        )
        yield Table(title, ("", *modes), [row])


def _ablation(outcome: Outcome, off_topic: Outcome) -> tuple[str, ...]:
    passages = "–" if outcome.passages is None else f"{outcome.passages:.1f}"
    rates = (outcome.breaches(), off_topic.breaches(), outcome.abstained, outcome.served)
    return (outcome.mode, *(_counts(rate) for rate in rates), passages)


def _counts(rate: Rate) -> str:
    return "–" if rate.value is None else f"{rate.value:.0%} ({rate.hits} of {rate.n})".replace("%", " %")


def _notes(run: Run) -> Iterator[str]:
    found = run.evaluation
    proof = "all other records are as before" if found.clean else "NOT everything is as before"
    yield f"{found.planted} documents planted for cross_tenant, {found.removed} removed; {proof}"
    if found.interrupted:
        yield "interrupted: what is not there was not asked"
    if run.tenants is not None:
        yield f"Tenants: {tenants_verdict(run.tenants)}"


def _cell(outcome: Outcome, family: str) -> str:
    untold = outcome.untold(family)
    return percent(outcome.breaches(family)) + (f", {untold} could not be told" if untold else "")


def to_markdown(found: Sequence[Table]) -> str:
    """All tables as a page."""
    lines = ["# Security evaluation of the documentation assistant", ""]
    for table in found:
        lines += [f"## {markdown(table.title)}", ""]
        heads = ["" if not head else markdown(head) for head in table.heads]
        lines += [f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads))]
        lines += [f"| {' | '.join(markdown(cell, 500) for cell in row)} |" for row in table.rows]
        lines += ["", *(line for note in table.notes for line in (markdown(note, 500), "")), ""]
    return "\n".join(lines).rstrip() + "\n"
