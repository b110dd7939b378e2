"""JUnit XML: a test case a pattern, a gate and a promise, for any CI that reads it.

What could not be told is an error, or skipped where a little of it is in the index's nature; it is never a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from darnel.core.results import Results, Score
from darnel.reports import columns, wording
from darnel.reports.escape import visible

if TYPE_CHECKING:
    from junitparser import TestCase
    from junitparser.junitparser import FinalResult

MOST = 4_000
"""Characters of one message."""


def render_junit(results: Results) -> bytes:
    """The document, UTF-8."""
    suites = {
        "darnel.gates": _gates(results),
        "darnel.patterns": _patterns(results),
        "darnel.promises": _promises(results),
    }
    return document(suites, results.run.started, wording.facts(results))


def document(suites: Mapping[str, Iterable[TestCase]], started: str, facts: Iterable[tuple[str, str]]) -> bytes:
    """Suites with the time they ran at (ISO 8601) and properties, as UTF-8."""
    from junitparser import JUnitXml, TestSuite

    whole, kept = JUnitXml("darnel"), list(facts)
    for name, cases in suites.items():
        suite = TestSuite(name)
        suite.timestamp = started[:19]
        for key, value in kept:
            suite.add_property(key, visible(value, MOST))
        for one in cases:
            one.classname = name
            suite.add_testcase(one)
        whole.add_testsuite(suite)
    whole.update_statistics()  # type: ignore[no-untyped-call]  # junitparser is untyped here
    text: bytes = whole.tostring()  # type: ignore[no-untyped-call]  # and here
    return text


def case(name: str, problem: FinalResult | None = None, said: str = "") -> TestCase:
    """A test case that passed, or has a problem; ``said``: what stands with it either way."""
    from junitparser import TestCase

    made = TestCase(visible(name))
    made.time = 0.0
    if problem is not None:
        made.result = [problem]
    if said:
        made.system_out = visible(said, MOST)
    return made


def problem(kind: str, message: str) -> FinalResult:
    """A failure, an error or why it was skipped."""
    from junitparser import Error, Failure, Skipped

    shown = visible(message, MOST)
    kinds: dict[str, type[FinalResult]] = {"failure": Failure, "error": Error, "skipped": Skipped}
    return kinds[kind](shown)


def _gates(results: Results) -> Iterator[TestCase]:
    for gate in results.gates:
        said = f"{gate.condition}: {gate.detail}"
        kind = {"failed": "failure", "unclear": "error", "suppressed": "skipped"}.get(gate.verdict)
        yield case(gate.condition, problem(kind, f"{gate.verdict}: {said}") if kind else None, said)


def _patterns(results: Results) -> Iterator[TestCase]:
    for score in results.scores:
        broken = [gate.condition for gate in results.gates if score.pattern in gate.patterns]
        excused = [
            f"{gate.condition} until {one.until}: {one.reason}"
            for gate in results.gates
            for one in gate.suppressed
            if one.pattern == score.pattern
        ]
        yield case(score.pattern, _pattern_problem(score, broken, excused), columns.figures(score, results))


def _pattern_problem(score: Score, broken: list[str], excused: list[str]) -> FinalResult | None:
    doubt = f"{score.inconclusive} of {score.queries} questions inconclusive"
    if broken:
        return problem("failure", f"failed: {'; '.join(broken)}" + (f"; {doubt}" if score.inconclusive else ""))
    if not score.inconclusive and score.queries:
        return problem("skipped", f"suppressed: {'; '.join(excused)}") if excused else None
    little = score.index_lost == score.inconclusive < score.queries
    return problem("skipped" if little else "error", f"inconclusive: {doubt}")


def _promises(results: Results) -> Iterator[TestCase]:
    left = "; ".join(f"{x.id} ({x.plant}): {x.reason}" for x in results.leftovers)
    yield case("nothing is left behind", problem("failure", f"may be left: {left}") if left else None)
    digest, same = results.corpus_digest, results.baseline.same
    told = "\n".join(wording.cleanup_lines(results))
    if digest is None:
        yield case("the corpus is as it was", problem("skipped", "not taken: this corpus cannot be scanned"), told)
    else:
        yield case("the corpus is as it was", None if digest.same else problem("error", told), told)
    if same is None:
        yield case("the baseline is as it was", problem("skipped", "the baseline was not asked again"))
    else:
        yield case("the baseline is as it was", None if same else problem("error", told))
    trouble = [*wording.doubts(results), *results.errors, *["the run was interrupted"] * results.run.interrupted]
    told_all = results.exit_code != 2 and not results.run.interrupted and not results.errors
    why = "; ".join(trouble) or "not everything could be told, so this is no pass"
    yield case("everything could be told", None if told_all else problem("error", why))
