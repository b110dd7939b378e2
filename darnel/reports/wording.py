"""The sentences that every format shares, so that all of them say the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from darnel.core.results import Results
from darnel.core.stats import wilson
from darnel.reports.columns import change, figure, interval
from darnel.reports.doses import dose_curves

NDCG = "nDCG@10"
NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])", re.ASCII)


def dropped_lines(results: Results) -> list[str]:
    """Who did not pass plants on that had been retrieved, with how many."""
    counted = Counter(row.dropped_by for row in results.observations if row.dropped_by)
    return [f"dropped by {name}: {count:,} plants" for name, count in counted.most_common()]


def verdict(results: Results) -> str:
    """The outcome in one sentence; it never calls a system safe."""
    measured = [s for s in results.scores if not s.control and s.exposure[str(results.target.k)].value is not None]
    if results.leftovers:
        return f"{len(results.leftovers)} planted documents may be left in the corpus; run: darnel sweep"
    if not measured:
        return "Could not tell: no row came to a conclusion."
    k = str(results.target.k)
    worst = max(measured, key=lambda s: s.exposure[k].value or 0.0)
    rate = worst.exposure[k]
    found = (
        f"{rate.hits} of {rate.n} questions brought a document planted by {worst.pattern} among the first {k} "
        f"({figure(rate.value)}, 95 % interval {interval(rate)})"
    )
    failed = [gate.condition for gate in results.gates if gate.verdict == "failed"]
    if failed:
        return f"Failed on {'; '.join(failed)}: {found}."
    accepted = [gate.condition for gate in results.gates if gate.verdict == "suppressed"]
    if accepted:
        found = f"{found}; suppressed: {'; '.join(accepted)}"
    if results.exit_code:
        return f"Not everything could be told, so this is no pass. Of what could: {found}."
    return f"{found}."


def target_line(results: Results) -> str:
    """What was tested, in one line."""
    t = results.target
    parts = [
        f"{t.app} over {t.backend} {t.container}" if t.app else f"{t.backend} {t.container}",
        f"{t.size:,} records",
        f"{t.dimension} dimensions" if t.dimension else "",
        t.metric or "",
        f"embedder {t.embedder}" if t.embedder else "",
        f"k = {t.k}",
        f"isolation by {t.isolation}" if t.isolation != "together" else "all planted together",
        f"{len(results.queries)} questions",
        f"seed {results.run.seed}",
    ]
    return ", ".join(part for part in parts if part)


def facts(results: Results) -> list[tuple[str, str]]:
    """What every format states: where, how large, how asked, of how many."""
    t, run = results.target, results.run
    said = [
        ("store", t.backend),
        ("container", t.container),
        ("application", t.app),
        ("records", f"{t.size:,}"),
        ("k", str(t.k)),
        ("questions (n)", str(len(results.queries))),
        ("embedder", t.embedder or "the store's own, or none"),
        ("dimensions", str(t.dimension or "")),
        ("metric", t.metric or ""),
        ("isolation", t.isolation),
        ("seed", str(run.seed)),
        ("campaign", run.campaign),
        ("exit code", str(results.exit_code)),
        ("inconclusive rows", str(sum(1 for row in results.observations if row.outcome == "inconclusive"))),
    ]
    return [(name, value) for name, value in said if value]


def versions_line(results: Results) -> str:
    """Versions that matter to repeat the run."""
    versions = ", ".join(f"{name} {version}" for name, version in results.target.versions.items())
    return f"darnel {results.run.darnel}, Python {results.run.python}" + (f", {versions}" if versions else "")


def cleanup_lines(results: Results) -> list[str]:
    """The proof that nothing stayed behind, or what did not hold."""
    c, digest, baseline = results.cleanup, results.corpus_digest, results.baseline
    lines = [
        f"{c.planted:,} planted, {c.removed:,} removed, {len(results.leftovers)} left over "
        f"(visible after at most {c.visible_after:.2f} s, gone after at most {c.gone_after:.2f} s)"
    ]
    if digest is None:
        lines.append("corpus digest: not taken (this corpus cannot be scanned)")
    elif digest.same:
        how = "in full" if digest.kind == "full" else f"count and a sample of {digest.covered:,}"
        lines.append(f"corpus digest: before = after ({digest.count:,} records, {how}; {digest.before[:16]})")
    else:
        named = [
            *(f"+{i}" for i in digest.added),
            *(f"-{i}" for i in digest.vanished),
            *(f"~{i}" for i in digest.changed),
        ]
        lines.append(f"corpus digest: DIFFERS or was not taken again: {', '.join(named[:10]) or 'count'}")
    if baseline.same is None:
        lines.append("baseline: not asked again")
    elif baseline.same:
        lines.append(f"baseline: the same lists for all {baseline.queries} questions before and after")
    else:
        lines.append(
            f"baseline: other lists for {len(baseline.differing)} questions: {', '.join(baseline.differing[:10])}"
        )
    return lines


def leftover_lines(results: Results) -> list[str]:
    """Every plant that may be left, with why."""
    return [f"{left.id} ({left.plant}): {left.reason}" for left in results.leftovers]


def clean_line(results: Results) -> str:
    """How the questions fare with nothing planted."""
    found = results.baseline.judged_found
    if not found.n:
        return "No judgments were given, so whether true answers are still found is not measured."
    return (
        f"With nothing planted, {found.hits} of {found.n} judged questions have a judged record in the first "
        f"{results.target.k} ({figure(found.value)}, {interval(found)})."
    )


def cost_line(results: Results) -> str:
    """What the pattern that hurt the true answers most cost them; empty without judgments."""
    changes = [(score.pattern, score.quality[NDCG]) for score in results.scores if NDCG in score.quality]
    if not changes:
        return ""
    pattern, worst = min(changes, key=lambda item: item[1].change or 0.0)
    return f"{NDCG} of the true answers falls most under {pattern}: {change(worst)}."


def transfer_lines(results: Results) -> list[str]:
    """For each pattern, how many questions its plants reached when they were asked in other words."""
    k = results.target.k
    said = [
        f"{score.pattern} {score.transfer.hits} of {score.transfer.n} ({figure(score.transfer.value)}, {interval(score.transfer)})"
        for score in results.scores
        if score.transfer.n
    ]
    if not said:
        return []
    return [f"Asked in other words, which no plant was made for, exposed@{k} by one of them: {'; '.join(said)}."]


def trust_line(results: Results) -> str:
    """Under which pattern the trust in what came back changes most; empty where the corpus says nothing of trust."""
    changes = [(score.pattern, score.trust) for score in results.scores if score.trust.n and not score.control]
    if not changes:
        return ""
    pattern, most = max(changes, key=lambda item: abs(item[1].change or 0.0))
    return f"Average trust of the first {results.target.k} sources changes most under {pattern}: {change(most)}."


def dose_lines(results: Results) -> list[str]:
    """For each pattern run at several doses: its exposure at each, and the smallest that reached the exposure asked for."""
    k, reach = results.target.k, results.run.reach
    lines = []
    for found in dose_curves(results):
        curve = ", ".join(f"{dose} → {figure(score.exposure[str(k)].value)}" for dose, score in found.points)
        enough = found.enough(k, reach)
        said = f"{enough} is the smallest of them" if enough is not None else "none of them is enough"
        lines.append(f"{found.name} by {found.axis}, exposure@{k}: {curve}; for {reach:.0%} of the questions {said}.")
    return lines


def power_line(results: Results) -> str:
    """What so many questions can and cannot show."""
    n = len(results.queries)
    return (
        f"{n} questions: of a pattern that none of them exposed, an exposure of up to {wilson(0, n)[1]:.2g} is not ruled out "
        "(see darnel plan)."
        if n
        else ""
    )


def doubts(results: Results) -> list[str]:
    """Why rows were inconclusive, each reason with its count; reasons that differ in a number only are one."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in results.observations:
        if row.outcome == "inconclusive":
            reason = row.detail or "no reason given"
            found[NUMBER.sub("#", reason)].append(reason)
    commonest = sorted(found.values(), key=len, reverse=True)
    return [f"{len(reasons):,} rows inconclusive: {_as_one(reasons)}" for reasons in commonest[:5]]


def _as_one(reasons: Sequence[str]) -> str:
    """The reason that all of them give, a number that varies as its range: ``rank 2 to 7``."""
    numbers = zip(*(map(int, NUMBER.findall(reason)) for reason in reasons), strict=True)
    ranges = iter([str(min(of)) if min(of) == max(of) else f"{min(of)} to {max(of)}" for of in map(tuple, numbers)])
    return NUMBER.sub(lambda _: next(ranges), reasons[0])
