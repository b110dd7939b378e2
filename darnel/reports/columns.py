"""The cells of every table, as figures with their intervals, so that all formats show the same."""

from __future__ import annotations

from darnel.core.asking.funnel import APP_STAGES
from darnel.core.options import STANDARD_KS
from darnel.core.results import FUNNEL, Results, Score
from darnel.core.stats import Change, Difference, Mean, Rate

DASH = "–"


def figure(value: float | None) -> str:
    """Two decimals, or a dash."""
    return DASH if value is None else f"{value:.2f}"


def interval(item: Rate | Mean | Difference) -> str:
    """``0.22–0.33``, or nothing."""
    if item.low is None or item.high is None:
        return ""
    between = " to " if item.low < 0 else "–"
    return f"{item.low:.2f}{between}{item.high:.2f}"


def with_interval(item: Rate | Mean | Difference | None) -> tuple[str, str]:
    """A figure and its 95 % interval."""
    return (DASH, "") if item is None else (figure(item.value), interval(item))


def columns(results: Results) -> list[str]:
    """Headings of the pattern table."""
    k = results.target.k
    exposures = [f"exposure@{n}" for n in _ks(results)]
    return [
        "pattern",
        "n",
        *exposures,
        f"lift over control@{k}",
        f"lift over honest@{k}",
        "median rank",
        f"judged kept@{k}",
        f"displaced@{k}",
    ]


def row(score: Score, results: Results) -> list[tuple[str, str]]:
    """One line of the pattern table: each cell a figure and, where it has one, its interval."""
    k = str(results.target.k)
    notes = ["control"] * score.control + [f"{score.inconclusive} inconclusive"] * bool(score.inconclusive)
    return [
        (score.pattern, ", ".join(notes)),
        (str(score.queries - score.inconclusive), ""),
        *(with_interval(score.exposure[str(n)]) for n in _ks(results)),
        with_interval(score.lift_over_control.get(k)),
        with_interval(score.lift_over_honest.get(k)),
        (_rank(score, results), ""),
        with_interval(score.retention if score.retention.n else None),
        with_interval(score.displacement),
    ]


def funnel_columns(results: Results) -> list[str]:
    """Headings of the funnel's table; empty where the target shows no stage beyond retrieval."""
    return ["pattern", *FUNNEL] if any(set(score.funnel).intersection(APP_STAGES) for score in results.scores) else []


def funnel_row(score: Score) -> list[tuple[str, str]]:
    """One line of the funnel's table: the share of questions with a plant at each stage, with its interval."""
    return [
        (score.pattern, "control" if score.control else ""),
        *(with_interval(score.funnel.get(stage)) for stage in FUNNEL),
    ]


def figures(score: Score, results: Results) -> str:
    """The same line as one text: ``exposure@1 0.49 (0.40–0.59), ...``."""
    named = zip(columns(results), row(score, results), strict=True)
    return ", ".join(f"{head} {first}" + (f" ({second})" if second else "") for head, (first, second) in named)


def change(item: Change) -> str:
    """``0.81 → 0.75 (-0.06, -0.08 to -0.04, p = 0.002, n = 99)``."""
    between = "" if item.low is None or item.high is None else f", {item.low:.2f} to {item.high:.2f}"
    tested = "" if item.p is None else f", p {p_value(item.p)}"
    return f"{figure(item.before)} → {figure(item.after)} ({item.change or 0:+.2f}{between}{tested}, n = {item.n})"


def p_value(p: float) -> str:
    """``= 0.03``, or ``< 0.001``."""
    return "< 0.001" if p < 0.001 else f"= {p:.2g}"


def quality_columns(results: Results) -> list[str]:
    """Headings of the table of true answers; empty without judgments."""
    names = next((list(score.quality) for score in results.scores if score.quality), [])
    return (
        ["pattern", *names, "spill", "injection recall", "injection F1", "rank shift", "q over honest"] if names else []
    )


def quality_row(score: Score, results: Results) -> list[str]:
    """One line of that table."""
    lift = score.lift_over_honest.get(str(results.target.k))
    return [
        score.pattern,
        *(change(item) for item in score.quality.values()),
        *(
            " ".join(part for part in with_interval(item) if part)
            for item in (score.spill, score.injection_recall, score.injection_f1)
        ),
        DASH if score.rank_shift is None else f"{score.rank_shift:+g}",
        DASH if lift is None or lift.q is None else p_value(lift.q).removeprefix("= "),
    ]


def _ks(results: Results) -> list[int]:
    """1, k, and whatever else was asked for beyond what every run measures."""
    measured = {int(k) for score in results.scores for k in score.exposure}
    return sorted({1, results.target.k, *measured.difference(STANDARD_KS)})


def _rank(score: Score, results: Results) -> str:
    if score.median_rank is not None:
        return f"{score.median_rank:g}"
    return DASH if score.queries == score.inconclusive else f"> {results.target.depth}"
