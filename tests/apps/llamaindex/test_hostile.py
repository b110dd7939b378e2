"""Applications that misbehave, and those of which nothing can be seen: never safe, and nothing left behind."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from llama_index.core.instrumentation import root_dispatcher

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from tests.apps.llamaindex.conftest import QUESTIONS
from tests.apps.llamaindex.test_zoo import assert_same, inventory
from tests.apps.llamaindex.zoo import chat_engine, condense_chat, hostile, parts, stale

ONE = RunOptions(isolation="query", k=3)


def run(app: Any, ledger: Ledger, **options: Any) -> Any:
    asked = AppOptions(**({"timeout": 20, "retries": 0, "jobs": 1} | options))
    return darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, options=ONE, app=asked)


def errors(results: Any) -> list[str]:
    return [str(o.detail) for o in results.observations if o.outcome == "inconclusive"]


def clean(results: Any) -> bool:
    return results.leftovers == [] and results.cleanup.planted == results.cleanup.removed


@pytest.mark.parametrize(
    ("app", "says"), [(hostile.raises_on_the_third, "the third is one too many"), (hostile.exits, "SystemExit")]
)
def test_what_raises_or_exits_ends_its_row_only(app: Any, says: str, ledger: Ledger) -> None:
    results = run(app(), ledger)
    assert clean(results)
    assert results.exit_code == 2
    assert any(says in error for error in errors(results))
    assert any(o.outcome == "retrieved" for o in results.observations)


def test_a_question_that_hangs_is_given_up_and_calls_no_model_when_it_wakes(ledger: Ledger, spent: list[str]) -> None:
    app = hostile.hangs()
    before = inventory(app)
    results = run(app, ledger, timeout=1.0)
    assert clean(results)
    assert any("no answer within 1 s" in error for error in errors(results))
    limit = time.monotonic() + 20
    while any(thread.name == "darnel-ask" for thread in threading.enumerate()) and time.monotonic() < limit:
        time.sleep(0.05)
    assert spent == []
    assert_same(app, before)


def test_what_it_prints_goes_to_standard_error(ledger: Ledger, capsys: pytest.CaptureFixture[str]) -> None:
    results = run(hostile.prints(), ledger)
    assert results.exit_code == 0
    captured = capsys.readouterr()
    assert "I am asked" in captured.err and "I am asked" not in captured.out


def test_what_it_writes_while_asked_is_told_and_left_alone(ledger: Ledger) -> None:
    results = run(hostile.writes(), ledger)
    assert results.leftovers == []
    assert results.corpus_digest is not None and results.corpus_digest.same is False


def test_an_engine_that_pinned_its_nodes_is_stale_and_not_safe(ledger: Ledger) -> None:
    results = run(stale.make(), ledger)
    assert results.exit_code == 2
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert all("stale snapshot: app._retriever" in error and "for each request" in error for error in errors(results))
    assert any("stale snapshot" in warning for warning in results.warnings)


def test_threads_of_its_own_are_asked_one_at_a_time_and_said(ledger: Ledger) -> None:
    from tests.apps.llamaindex.zoo import threads

    results = run(threads.make(), ledger, jobs=4)
    assert results.exit_code == 0
    assert any("thread of the application's own" in warning for warning in results.warnings)


def test_two_at_once_from_threads_of_its_own_say_nothing() -> None:
    from tests.apps.llamaindex.zoo import threads

    target = darnel.open_target(threads.make(), app=AppOptions(jobs=4, retries=0))
    replies = target.retriever.retrieve(list(QUESTIONS), 3)
    assert any("--jobs 1" in str(reply.error) for reply in replies)
    assert all(reply.error or reply.sources for reply in replies)
    again = target.retriever.retrieve(list(QUESTIONS), 3)
    assert all(reply.sources and not reply.error for reply in again)


def test_what_searches_out_of_sight_is_inconclusive(ledger: Ledger) -> None:
    engine = parts.index().as_query_engine(llm=parts.QuotingLLM())

    def answer(question: str) -> str:
        """Asks a service, and holds an engine that it does not use."""
        return f"{len(question)} letters" if question else str(engine.query(question))

    results = run(answer, ledger)
    assert results.exit_code == 2
    assert all("capture failed" in error and "none was seen to come back" in error for error in errors(results))


def test_a_model_called_by_other_means_is_told_of(ledger: Ledger) -> None:
    retriever = parts.index().as_retriever(similarity_top_k=3)

    def answer(question: str) -> str:
        return "A model of no framework read: " + retriever.retrieve(question)[0].node.get_content()

    results = run(answer, ledger)
    assert results.exit_code == 0
    assert any("by other means" in warning for warning in results.warnings)
    assert "in answer" in {o.stage for o in results.observations}


def test_an_error_in_the_watching_surfaces(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    from darnel.adapters.llamaindex.apps import spans

    def broken(_nodes: Any) -> Any:
        raise ValueError("it cannot be read")

    monkeypatch.setattr(spans, "sources_of", broken)
    results = run(parts.index().as_query_engine(llm=parts.QuotingLLM()), ledger)
    assert results.exit_code == 2
    assert all("watching the application failed" in error for error in errors(results))


@pytest.mark.parametrize("make", [chat_engine.make, condense_chat.make])
def test_a_conversation_is_put_back_and_not_continued(make: Any, spent: list[str]) -> None:
    app = make()
    target = darnel.open_target(app, app=AppOptions(answers=True, retries=0))
    replies = target.retriever.retrieve(list(QUESTIONS), 3)
    assert all(reply.answer and not reply.error for reply in replies)
    assert [m.content for m in app.chat_history] == ["Hello.", "Good day."]
    assert len(spent) == len(QUESTIONS)
    assert not any("Good day." in prompt for prompt in spent)
    assert not any(QUESTIONS[0] in prompt for prompt in spent[1:])


def test_nothing_stays_in_place_when_a_run_is_over() -> None:
    assert [h for h in root_dispatcher.span_handlers if "darnel" in type(h).__module__] == []
