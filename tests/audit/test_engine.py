"""The engine: what a failing, foreign, interrupted or idle detector does to a result, and what its exit code says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from darnel.audit import registry
from darnel.audit.batch import Batch, Entry
from darnel.audit.detector import BaseDetector, Context, Detector
from darnel.audit.engine import AuditOptions, run_audit
from darnel.audit.model import Finding
from darnel.audit.readers.base import ReadLog
from darnel.audit.readers.corpus import StoreReader
from darnel.audit.results import AuditResults
from darnel.core.corpus import Record
from darnel.core.errors import UnknownNameError, UsageError
from tests.support.audit import Listed

RECORDS = [Record(str(i), f"Text number {i} of this corpus.") for i in range(10)]
STUFFED = Record("bad", "ferry times " * 20)


class Loud(BaseDetector):
    """Flags every record; learns."""

    name = "loud"
    summary = "Everything."
    blind = "Nothing."
    learns = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.learnt = 0

    def learn(self, batch: Batch) -> None:
        self.learnt += len(batch)

    def look(self, entry: Entry) -> Iterator[Finding]:
        yield self.finding(entry, "low", 1.0, f"{self.learnt} learnt")


class Failing(Loud):
    name = "failing"

    def look(self, entry: Entry) -> Iterator[Finding]:
        if entry.id == "3":
            raise ValueError("cannot bear it")
        yield self.finding(entry, "low", 1.0, "fine")


class Interrupted(Listed):
    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        yield from list(super().scan(batch))[:2]
        raise KeyboardInterrupt


class Broken(Listed):
    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        yield from list(super().scan(batch))[:2]
        raise OSError("connection lost")


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point("loud", Loud), Point("failing", Failing)])


class Point:
    def __init__(self, name: str, made: Any) -> None:
        self.name, self._made = name, made
        self.dist = None

    def load(self) -> Any:
        return self._made


def run(listed: Listed, *detectors: str, **options: Any) -> AuditResults:
    return run_audit([StoreReader(listed, "list")], AuditOptions(detectors=detectors, batch=2, **options))


def test_a_third_party_detector(foreign: None) -> None:
    results = run(Listed(RECORDS), "loud")
    assert [f.why for f in results.findings] == ["10 learnt"] * 10
    assert {f.source for f in results.findings} == {"list"}
    assert (results.read, results.flagged, results.exit_code) == (10, 10, 0)


def test_one_that_fails_is_named_and_the_others_go_on(foreign: None) -> None:
    results = run(Listed([*RECORDS, STUFFED]), "failing", "loud", "repetition")
    assert "failing failed" in results.errors[0]
    assert "cannot bear it" in results.errors[0]
    assert {f.record for f in results.findings if f.detector == "failing"} == {"0", "1", "2"}
    assert sum(f.detector == "loud" for f in results.findings) == 11
    assert [f.record for f in results.findings if f.detector == "repetition"] == ["bad"]
    assert results.exit_code == 2


def test_an_interruption_keeps_what_was_found(foreign: None) -> None:
    results = run(Interrupted([STUFFED, *RECORDS]), "repetition", "loud")
    assert [f.record for f in results.findings] == ["bad"]
    assert results.interrupted
    assert results.read == 4
    assert results.exit_code == 2


def test_a_store_that_fails_halfway_keeps_what_was_found() -> None:
    results = run(Broken([STUFFED, *RECORDS]))
    assert "bad" in {f.record for f in results.findings}
    assert "connection lost" in results.errors[0]
    assert results.exit_code == 2


def test_a_corpus_that_changes_between_passes(foreign: None) -> None:
    class Growing(Listed):
        passes = 0

        def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
            Growing.passes += 1
            yield RECORDS[: Growing.passes]

    results = run(Growing(RECORDS), "loud")
    assert "changed while it was read" in results.errors[0]
    assert results.exit_code == 2


@pytest.mark.parametrize(
    ("records", "options", "code"),
    [
        (RECORDS, {}, 0),
        ([*RECORDS, STUFFED], {}, 1),
        ([*RECORDS, STUFFED], {"fail_on": "low"}, 1),
        ([], {}, 2),
    ],
)
def test_exit_codes(records: list[Record], options: dict[str, Any], code: int) -> None:
    assert run(Listed(records), **options).exit_code == code


def test_severities_and_the_exit_code(foreign: None) -> None:
    assert run(Listed(RECORDS), "loud").exit_code == 0
    assert run(Listed(RECORDS), "loud", fail_on="medium").exit_code == 0
    assert run(Listed(RECORDS), "loud", fail_on="low").exit_code == 1


class Partly:
    name, kind, total = "partly", "list", None

    def batches(self, size: int, log: ReadLog) -> Iterable[Any]:
        log.fail("line 2", "not JSON")
        return StoreReader(Listed(RECORDS), "x").batches(size, log)


@pytest.mark.parametrize(("allow", "code"), [(False, 2), (True, 0)])
def test_unreadable_records_are_no_pass(allow: bool, code: int) -> None:
    results = run_audit([Partly()], AuditOptions(allow_unreadable=allow))  # type: ignore[list-item]
    assert (results.unreadable, results.exit_code) == (1, code)


def test_names() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'repetition'"):
        run(Listed(RECORDS), "repetitions")


def test_a_name_taken_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point("echo", Loud)])
    with pytest.raises(UsageError, match="claim the detector name 'echo'"):
        registry.known_detectors()


def test_what_is_no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point("none", lambda context: object())])
    with pytest.raises(UsageError, match="'none'"):
        run(Listed(RECORDS))


def test_every_built_in_says_what_it_misses_and_what_to_do() -> None:
    for name, make in registry.known_detectors().items():
        detector = make(Context())
        assert isinstance(detector, Detector)
        assert detector.name == name
        assert detector.summary.endswith(".")
        assert detector.blind.endswith(".")


def test_what_did_not_run_says_why() -> None:
    reasons = {d.name: d.not_run for d in run(Listed(RECORDS)).detectors}
    assert "--queries" in reasons["echo"]
    assert "--embedder" in reasons["reencode"]
    assert not reasons["repetition"]


def test_another_embedder_is_an_error_and_no_finding() -> None:
    records = [Record(str(i), f"text {i}", None, [1.0, 0.0]) for i in range(5)]
    context = Context(embed=lambda texts: [[0.0, 1.0] for _ in texts])
    reader = StoreReader(Listed(records), "list", vectors=True)
    results = run_audit([reader], AuditOptions(context, ["reencode"]))
    assert not results.findings
    assert "--embedder" in results.errors[0]
    assert results.exit_code == 2


def test_the_budget_sets_the_threshold() -> None:
    from darnel.audit.sketch import Histogram

    histogram = Histogram()
    for i in range(1_000):
        histogram.add(i / 2_000)
    assert histogram.threshold(0.001, 0.0) > histogram.threshold(0.01, 0.0) > histogram.quantile(0.9)
    assert histogram.threshold(0.01, 0.99) == 0.99


def test_progress(foreign: None) -> None:
    told: list[tuple[str, int, int]] = []
    reader = StoreReader(Listed(RECORDS), "list", total=10)
    run_audit([reader], AuditOptions(detectors=["loud"], batch=4, progress=lambda *args: told.append(args)))
    assert [done for _, done, _ in told] == [4, 8, 10, 4, 8, 10]
    assert {total for _, _, total in told} == {10}
