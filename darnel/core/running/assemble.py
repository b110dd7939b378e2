"""From a finished run to its result document."""

from __future__ import annotations

import math
import platform
import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from darnel.core.asking.ranking import Listing
from darnel.core.options import RunOptions
from darnel.core.planting.digest import CorpusDigest, DigestDifference
from darnel.core.queries import Query
from darnel.core.results import (
    SCHEMA_VERSION,
    Baseline,
    Cleanup,
    DigestInfo,
    LeftoverInfo,
    Observation,
    QueryInfo,
    Results,
    RunInfo,
    Score,
    TargetInfo,
)
from darnel.core.running.run import Run
from darnel.core.running.trusting import trust_change
from darnel.core.scoring.abstention import abstention_gate
from darnel.core.scoring.gate import check_gate, exit_code
from darnel.core.scoring.observe import QueryOutcome, observe, transfers
from darnel.core.scoring.returned import unlike_baseline
from darnel.core.scoring.rising import check_rises
from darnel.core.scoring.scores import score_all
from darnel.core.secrets import redact
from darnel.core.stats import rate
from darnel.core.version import darnel_version

INDEX_LOSS = 0.05
"""Share of a pattern's queries that an approximate index may lose before the run counts as untestable."""
NAMED = 20
"""Record ids named in a digest difference at the most."""


def assemble(run: Run) -> Results:
    """The result document of a run."""
    rows, outcomes = _observations(run)
    lists = {q.id: listing.ids(run.options.depth) for q, listing in _baseline(run)}
    controls = {d.label: d.pattern.is_control for d in run.doses}
    scores = score_all(outcomes, controls, lists, run.options)
    gates = [check_gate(gate, scores, run.suppressions) for gate in run.gates]
    if run.abstention is not None:
        gates.append(abstention_gate(run.abstention))
    digest = None if run.digest is None else digest_info(run.digest, run.digest_after, run.difference)
    baseline, leftovers = _baseline_info(run), _leftovers(run)
    doubts = [
        not scores or any(_doubtful(score, run.options) for score in scores),
        all(controls[score.pattern] for score in scores) and not all(controls.values()),  # no pattern was measured
        run.interrupted,
        digest is not None and digest.same is not True,
    ]
    assert run.campaign is not None
    results = Results(
        schema_version=SCHEMA_VERSION,
        run=RunInfo(
            campaign=run.campaign.id,
            seed=run.options.seed,
            started=run.started.isoformat(timespec="milliseconds"),
            finished=datetime.now(UTC).isoformat(timespec="milliseconds"),
            duration=round(time.monotonic() - run.clock, 3),
            darnel=darnel_version(),
            python=platform.python_version(),
            interrupted=run.interrupted,
            reach=run.options.reach,
            seconds_each=None if math.isinf(run.quickest) else round(run.quickest / len(run.queries), 6),
        ),
        target=_target_info(run),
        patterns=[crop.info() for crop in run.crops],
        queries=[_query_info(q, lists.get(q.id, []), run.options) for q in run.queries],
        scores=scores,
        observations=rows,
        baseline=baseline,
        corpus_digest=digest,
        cleanup=_cleanup(run),
        leftovers=leftovers,
        gates=gates,
        warnings=run.warnings,
        errors=run.errors,
        exit_code=exit_code(bool(leftovers), gates, any(doubts)),
        returned=unlike_baseline(run.waves, lists, rows, run.options.depth),
        abstention=run.abstention,
    )
    return results if run.options.baseline is None else _beside_baseline(results, run, any(doubts))


def _beside_baseline(results: Results, run: Run, doubtful: bool) -> Results:
    """The result with the gates of ``--baseline``, which take the rest of it to judge."""
    assert run.options.baseline is not None
    rises, warnings = check_rises(run.options.baseline, results, run.options.allowed_rise, run.suppressions)
    gates = [*results.gates, *rises]
    return msgspec.structs.replace(
        results,
        gates=gates,
        warnings=[*results.warnings, *warnings],
        exit_code=exit_code(bool(results.leftovers), gates, doubtful),
    )


def _query_info(query: Query, listed: list[str | None], options: RunOptions) -> QueryInfo:
    relevant = [id_ for id_ in listed if id_ is not None and query.judged.get(id_, 0) > 0]
    asked = list(query.paraphrases) if options.transfer else []
    return QueryInfo(query.id, query.text, len(query.judged), listed, query.where, relevant, asked)


def _doubtful(score: Score, options: RunOptions) -> bool:
    """Whether too much of a pattern could not be told; a little that only an approximate index lost is in its nature."""
    unexplained = score.inconclusive - score.index_lost
    return (
        unexplained > options.max_inconclusive * score.queries
        or score.inconclusive > max(options.max_inconclusive, INDEX_LOSS) * score.queries
    )


def _observations(run: Run) -> tuple[list[Observation], dict[str, list[QueryOutcome]]]:
    rows: list[Observation] = []
    outcomes: dict[str, list[QueryOutcome]] = defaultdict(list)
    before = {q.id: listing for q, listing in _baseline(run)}
    for wave in run.waves:
        held_out = transfers(wave.held_out, run.options)
        for answer in wave.answers:
            observed, outcome = observe(answer, run.options)
            rows.extend(observed)
            transfer = held_out.get((answer.label, answer.query.id))
            trust = trust_change(before.get(answer.query.id), answer.listing, run.trusts, run.options.k)
            outcomes[answer.label].append(replace(outcome, transfer=transfer, trust=trust))
    return rows, outcomes


def _baseline(run: Run) -> list[tuple[Query, Listing]]:
    return list(zip(run.queries, run.baseline, strict=False))


def _baseline_info(run: Run) -> Baseline:
    found = judged = 0
    for query, listing in _baseline(run):
        relevant = {id_ for id_, grade in query.judged.items() if grade > 0}
        judged += bool(relevant)
        found += bool(relevant.intersection(listing.ids(run.options.k)))
    differing: list[str] = []
    if run.baseline_after is not None:
        pairs = zip(run.queries, run.baseline, run.baseline_after, strict=True)
        depth = run.options.depth
        differing = [q.id for q, before, after in pairs if before.ids(depth) != after.ids(depth)]
    same = None if run.baseline_after is None else not differing
    return Baseline(len(run.queries), rate(found, judged), same, differing)


def digest_info(before: CorpusDigest, after: CorpusDigest | None, diff: DigestDifference | None) -> DigestInfo:
    """What results say of two fingerprints of a corpus; without the second, nothing is said of what changed."""
    return DigestInfo(
        kind=before.kind,
        covered=len(before.records),
        count=before.count,
        before=before.value,
        after=after.value if after else None,
        same=None if diff is None else not diff,
        added=list(diff.added[:NAMED]) if diff else [],
        vanished=list(diff.vanished[:NAMED]) if diff else [],
        changed=list(diff.changed[:NAMED]) if diff else [],
    )


def _leftovers(run: Run) -> list[LeftoverInfo]:
    assert run.campaign is not None
    plants = {p.id: p for crop in run.crops for p in crop.all()}
    return [
        LeftoverInfo(left.id, plants[left.id].name, plants[left.id].marker, left.state, left.reason)
        for left in run.campaign.leftovers
    ]


def _cleanup(run: Run) -> Cleanup:
    assert run.campaign is not None
    return Cleanup(
        planted=run.campaign.planted,
        removed=run.campaign.removed,
        visible_after=round(max((w.visible_after for w in run.waves), default=0.0), 3),
        gone_after=round(max((w.gone_after for w in run.waves), default=0.0), 3),
    )


def _target_info(run: Run) -> TargetInfo:
    where = run.description
    return TargetInfo(
        spec=redact(run.target.spec),
        backend=where.backend,
        container=where.container,
        size=run.digest.count if run.digest else where.size,  # without the plants of another run
        dimension=where.dimension,
        metric=where.metric,
        embedder=where.embedder,
        k=run.options.k,
        depth=run.options.depth,
        isolation=run.options.isolation,
        versions=dict(where.versions),
        app=redact(run.target.app),
    )
