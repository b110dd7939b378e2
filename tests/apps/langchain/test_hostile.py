"""Applications that do what none should: each ends in one line, or in rows that say why they are inconclusive."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.core.errors import TargetError, UsageError
from darnel.core.planting.ledger import Ledger
from tests.apps.langchain.conftest import QUESTIONS
from tests.apps.langchain.zoo import parts
from tests.support.command import Outcome

HERE = "langchain:tests.apps.langchain.hostile"
QUICK = AppOptions(retries=0, timeout=2.0)


@pytest.fixture(autouse=True)
def imported_anew() -> Iterator[None]:
    yield
    for name in [n for n in sys.modules if n.startswith("tests.apps.langchain.hostile.")]:
        del sys.modules[name]


def run(name: str, ledger: Ledger, app: AppOptions = QUICK) -> darnel.Results:
    return darnel.run(f"{HERE}.{name}", QUESTIONS, ["echo:1"], ledger=ledger, app=app)


def rows(results: darnel.Results, query: str) -> set[tuple[str, str]]:
    return {(o.outcome, o.detail or "") for o in results.observations if o.query == query}


def test_raising_on_import(ledger: Ledger) -> None:
    with pytest.raises(TargetError, match="importing it failed: ValueError: no key for the model"):
        run("raises_on_import:ask", ledger)


def test_ending_the_program_on_import(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TargetError, match=r"ended the program \(sys\.exit\(0\)\)"):
        run("exits_on_import:ask", ledger)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("third_question:ask", "ConnectionError: the database went away"),
        ("exits_when_asked:ask", "SystemExit: 3"),
        ("exits_when_asked:ask_later", "SystemExit: 3"),
        ("hangs:ask", "no answer within 2 s"),
    ],
)
def test_a_question_that_fails_is_its_rows_alone(name: str, says: str, ledger: Ledger) -> None:
    results = run(name, ledger)
    assert results.exit_code == 2
    assert {outcome for outcome, _ in rows(results, "q3")} == {"inconclusive"}
    assert all(says in detail for _, detail in rows(results, "q3")), rows(results, "q3")
    assert "inconclusive" not in {outcome for query in ("q1", "q2") for outcome, _ in rows(results, query)}
    assert results.leftovers == []
    if name.startswith("hangs"):
        sys.modules["tests.apps.langchain.hostile.hangs"].released.set()


def test_printing_on_standard_output(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "questions.txt").write_text("\n".join(QUESTIONS), encoding="utf-8")
    done = cli("run", f"{HERE}.prints:ask", "--queries", "questions.txt", "-p", "echo:1", "--json")
    assert done.code == 0, done.err
    assert done.out.startswith("{")
    assert "imported" in done.err
    assert "asked When" in done.err


def test_changing_the_store_while_it_is_tested(ledger: Ledger) -> None:
    results = run("mutates:ask", ledger)
    assert results.corpus_digest is not None
    assert results.corpus_digest.same is False
    assert results.leftovers == []
    assert results.exit_code != 0 or results.warnings


def test_threads_of_its_own_are_asked_one_question_at_a_time(ledger: Ledger, spent: list[str]) -> None:
    results = run("raw_threads:ask", ledger, AppOptions(retries=0, jobs=3))
    assert results.exit_code == 0
    assert any("one question at a time" in warning for warning in results.warnings)
    assert {o.stage for o in results.observations if o.outcome == "retrieved"} == {"in prompt"}
    assert spent == []


def test_a_model_in_a_thread_of_its_own_is_not_called(ledger: Ledger, spent: list[str]) -> None:
    before = dict(vars(parts.QuotingModel))
    results = run("raw_threads:ask_and_answer", ledger)
    assert results.exit_code == 2
    told = {(o.outcome, (o.detail or "").partition("; ")[2]) for o in results.observations}
    assert told == {("inconclusive", "use --answers"), ("retrieved", "")}, "what was seen to be retrieved, was"
    assert spent == []
    assert dict(vars(parts.QuotingModel)) == before
    results = run("raw_threads:ask_and_answer", ledger, AppOptions(retries=0, answers=True))
    assert results.exit_code == 0
    assert "in answer" in {o.stage for o in results.observations}


def test_threads_that_cannot_be_told_apart_are_no_verdict() -> None:
    """Two questions under way, and a search from a thread that belongs to neither."""
    from darnel.adapters.langchain.apps.capture import Capture
    from darnel.api import open_target

    store = parts.in_memory()
    target = open_target(store.as_retriever() | parts.joined)
    one, other = (Capture(q, answers=False, allow_model=False) for q in QUESTIONS[:2])
    with target.retriever._watched(one), target.retriever._watched(other):
        token = _nobodys_context()
        try:
            target.retriever._saw(parts.documents()[:1], {})
        finally:
            token()
    assert "use --jobs 1" in one.fault
    assert "use --jobs 1" in other.fault
    assert (one.searches, other.searches) == ([], [])


def _nobodys_context() -> Callable[[], None]:
    from darnel.adapters.langchain.apps.capture import current

    token = current.set(None)
    return lambda: current.reset(token)


@pytest.mark.parametrize("name", ["own_client:ask"])
def test_an_application_that_asks_elsewhere_is_inconclusive(name: str, ledger: Ledger) -> None:
    results = run(name, ledger)
    assert results.exit_code == 2
    details = {o.detail or "" for o in results.observations}
    assert all("capture failed" in d and "--into TARGET" in d for d in details), details
    assert results.cleanup.planted == 0


def test_an_application_without_a_store(ledger: Ledger) -> None:
    with pytest.raises(UsageError, match=r"found no vector store in .*looked through .*--into TARGET"):
        run("raw_threads:forget", ledger)
