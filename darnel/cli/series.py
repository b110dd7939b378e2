"""Which options of ``run`` make several runs of it, and what is shown after them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from darnel.adapters.apps.options import AppOptions
    from darnel.cli.job import Job
    from darnel.core.results import Results

Finish = Callable[[Mapping[str, "Results"]], None]


def _nothing(_found: Mapping[str, Results]) -> None: ...


@dataclass(frozen=True)
class Series:
    """Runs that differ in one thing. ``what``: the thing, ``plural`` of it; ``finish``: what is shown after all of them."""

    option: str
    what: str
    plural: str
    names: Sequence[str]
    run_one: Callable[[str], Results]
    finish: Finish = _nothing


def series_of(job: Job, app: AppOptions) -> Series | None:
    """The series that the options ask for, or None for a single run.

    Raises:
        UsageError: they ask for more than one, or for what does not go together.
    """
    from darnel.core.errors import UsageError

    asked = [
        series for series in (_stores(job, app), _retrievers(job, app), _lengths(job, app), _shares(job, app)) if series
    ]
    if len(asked) > 1:
        raise UsageError(f"{asked[0].option} and {asked[1].option} each make several runs; give several of one only")
    return asked[0] if asked else None


def _stores(job: Job, app: AppOptions) -> Series | None:
    from darnel.core.errors import UsageError

    if not job.given["all_stores"]:
        return None
    if app.store:
        raise UsageError("--all-stores does not go with --store; give --store PATH alone")
    return Series("--all-stores", "store", "stores", job.stores(), lambda store: job.run(replace(app, store=store)))


def _retrievers(job: Job, app: AppOptions) -> Series | None:
    from darnel.retrievers.registry import read_retriever

    if len(job.retrievers) < 2:
        return None
    for name in job.retrievers:  # the last of them is not to fail after the others planted
        read_retriever(name)
    return Series("--retriever", "retriever", "retrievers", job.retrievers, partial(job.run, app), _show_comparisons)


def _lengths(job: Job, app: AppOptions) -> Series | None:
    lengths = {str(words): words for words in job.given["carrier_words"]}
    if len(lengths) < 2:
        return None
    what = "words of the carrier"
    return Series(
        "--carrier-words",
        what,
        "lengths",
        list(lengths),
        lambda name: job.run(app, carrier_words=lengths[name]),
        partial(_show_curves, what),
    )


def _shares(job: Job, app: AppOptions) -> Series | None:
    shares = {f"{share:.6g}": share for share in job.given["shares"]}
    if not shares:
        return None
    what = "share of the records"
    return Series(
        "--corpus-share",
        what,
        "shares",
        list(shares),
        lambda name: job.run(app, retriever=_of_share(job.retrievers[0], shares[name])),
        partial(_show_curves, what),
    )


def _of_share(retriever: str, share: float) -> str:
    """``bm25+trust`` over a tenth of the records: ``bm25@0.1+trust``."""
    base, plus, defences = retriever.partition("+")
    return f"{base}@{share:g}{plus}{defences}"


def _show_comparisons(found: Mapping[str, Results]) -> None:
    """Each result beside the first, on the same questions."""
    from darnel.core.scoring.comparing import compare
    from darnel.reports.comparison import print_comparison

    if len(found) < 2:
        return
    (first, base), *others = found.items()
    console = _console()
    for name, results in others:
        console.print(f"\n{first} → {name}", style="bold", markup=False)
        print_comparison(compare(base, results), console)


def _show_curves(what: str, found: Mapping[str, Results]) -> None:
    from darnel.reports.curves import print_curves

    print_curves(what, found, _console())


def _console() -> Console:
    from rich.console import Console

    from darnel.cli.output import WIDTH_ELSEWHERE

    return Console(width=None if sys.stdout.isatty() else WIDTH_ELSEWHERE, highlight=False)
