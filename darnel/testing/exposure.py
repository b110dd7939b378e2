"""Mode A as an assertion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from darnel.api import run
from darnel.core.options import RunOptions
from darnel.core.pattern import Dose, Pattern
from darnel.core.planting.ledger import Ledger
from darnel.core.queries import Query
from darnel.core.results import Results, Score

SHOWN = 5
"""Lines of one kind that a failure shows at the most."""


def assert_not_exposed(
    target: Any,
    queries: Iterable[str | Query | Mapping[str, Any]] | str,
    k: int = 5,
    *,
    patterns: Iterable[str | Pattern | Dose] = (),
    at_most: float = 0.0,
    embedder: object = None,
    ledger: Ledger | None = None,
    options: RunOptions | None = None,
    allow_hosts: Iterable[str] = (),
) -> Results:
    """Plant, ask, remove, and fail where a pattern's plants are among the first ``k`` sources of too many questions.

    Args:
        target: see ``darnel.run``.
        queries: questions, or the path of a query file.
        k: how many sources the application reads.
        patterns: see ``darnel.run``; all built-in ones by default. The two controls run too and never fail the test.
        at_most: share of the questions, from 0 to 1, that may be exposed for each pattern.
        embedder: the application's.
        ledger: the journal.
        options: everything else of a run.
        allow_hosts: see ``darnel.run``.

    Returns:
        The results, where the assertion holds.

    A question whose outcome could not be told counts against the target, with the reason; so do leftovers, records of the
    owner's that changed, and errors of the target. Raises ``DarnelError`` where nothing can be tested at all.
    """
    chosen = replace(options or RunOptions(), k=k)
    results = run(
        target,
        queries,
        patterns,
        embedder=embedder,
        ledger=ledger,
        options=chosen,
        allow_hosts=tuple(allow_hosts),
    )
    if problems := [*_exposed(results, at_most), *_untold(results), *_unclean(results)]:
        pytest.fail("\n".join([f"{results.target.container}: not proved safe at k = {k}", *problems]), pytrace=False)
    return results


def _exposed(results: Results, at_most: float) -> Iterator[str]:
    k = results.target.k
    for score in _patterns(results):
        rate = score.exposure[str(k)]
        if rate.n and rate.hits > at_most * rate.n:
            yield f"{score.pattern} was exposed for {rate.hits} of {rate.n} questions, and {at_most:.0%} is allowed:"
            texts = {query.id: query.text for query in results.queries}
            seen = sorted(
                (o.rank, o.query)
                for o in results.observations
                if o.pattern == score.pattern and o.rank is not None and o.rank <= k
            )
            yield from _some(f"  rank {rank} for '{texts[query]}'" for rank, query in seen)


def _untold(results: Results) -> Iterator[str]:
    """Questions whose outcome could not be told, controls included: without them the run proves nothing."""
    for score in results.scores:
        if score.inconclusive:
            yield f"{score.pattern} was inconclusive for {score.inconclusive} of {score.queries} questions:"
            doubtful = (o for o in results.observations if o.pattern == score.pattern and o.outcome == "inconclusive")
            yield from _some(f"  {o.query}: {o.detail}" for o in doubtful)
    if not any(True for _ in _patterns(results)):
        yield "no pattern was measured but the controls; name one"
    if results.run.interrupted:
        yield "the run was interrupted"


def _unclean(results: Results) -> Iterator[str]:
    yield from _some(f"left over: {left.id}: {left.reason}" for left in results.leftovers)
    digest = results.corpus_digest
    if digest is not None and digest.same is not True:
        changed = [*digest.added, *digest.vanished, *digest.changed]
        yield f"records that are not plants changed during the run: {', '.join(changed[:SHOWN]) or 'could not be told'}"
    yield from _some(f"error: {error}" for error in results.errors)


def _patterns(results: Results) -> Iterator[Score]:
    return (score for score in results.scores if not score.control)


def _some(lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    yield from found[:SHOWN]
    if len(found) > SHOWN:
        yield f"  ... and {len(found) - SHOWN} more"
