"""Every shape of application: its store is found, plants are followed through it, nothing is left, nothing is changed."""

from __future__ import annotations

import importlib
import threading
from functools import cached_property
from typing import Any
from urllib.parse import quote_plus

import pytest
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.instrumentation import DispatcherSpanMixin, root_dispatcher
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.vector_stores.types import BasePydanticVectorStore

import darnel
from darnel.adapters.apps.options import AppOptions
from darnel.adapters.apps.walk import walk
from darnel.adapters.llamaindex.apps.find import find_stores
from darnel.adapters.llamaindex.apps.patches import family
from darnel.core.options import RunOptions
from darnel.core.planting.ledger import Ledger
from tests.apps.llamaindex.conftest import QUESTIONS

NEED_A_MODEL = {
    "agent": "FunctionAgent calls",
    "agent_function": "AgentWorkflow calls",
    "hyde": "HyDEQueryTransform calls",
    "llm_reranked": "LLMRerank calls",
    "react_agent": "ReActAgent calls",
    "rewriting": "QueryFusionRetriever calls",
    "router": "LLMSingleSelector calls",
    "sub_question": "LLMQuestionGenerator calls",
    "sync_agent": "FunctionAgent calls",
}
"""Applications that call a model before the one that answers, and what says so."""
DROPPED_BY = {
    "fusion": "QueryFusionRetriever",
    "llm_reranked": "LLMRerank",
    "own_postprocessor": "LastTwo",
    "reranked": "SimilarityPostprocessor",
    "rewriting": "QueryFusionRetriever",
    "two_stores": "QueryFusionRetriever",
}
"""Components that drop some plant."""
DROPS_ALL = {"reranked"}
NO_MODEL = {"retriever"}
K = {"filtered": 4, "fusion": 4, "llm_reranked": 4, "own_postprocessor": 4, "direct": None, "per_request": None}
ONE = RunOptions(isolation="query", k=4)
SHAPES = [
    "agent",
    "agent_function",
    "async_function",
    "auto_merging",
    "chat_engine",
    "citation",
    "condense_chat",
    "direct",
    "filtered",
    "fusion",
    "hyde",
    "late",
    "llm_reranked",
    "own_postprocessor",
    "per_request",
    "query_engine",
    "react_agent",
    "recursive",
    "reranked",
    "retriever",
    "rewriting",
    "router",
    "service",
    "stream_chat",
    "streaming",
    "structured",
    "sub_question",
    "sync_agent",
    "threads",
    "two_stores",
]


def make(shape: str) -> Any:
    return importlib.import_module(f"tests.apps.llamaindex.zoo.{shape}").make()


def options(shape: str, **more: Any) -> AppOptions:
    store = "app._retriever._retrievers[0]._index" if shape == "two_stores" else None
    return AppOptions(allow_model=shape in NEED_A_MODEL, store=store, timeout=30, retries=0, **more)


def inventory(app: Any) -> dict[str, Any]:
    """Every object of an application, the names it has, the watchers, and what all classes that were patched define."""
    found: dict[str, Any] = {"watchers": (list(root_dispatcher.span_handlers), list(root_dispatcher.event_handlers))}

    def note(item: Any) -> bool:
        held = getattr(item, "__dict__", {})
        own = [key for key in held if not isinstance(getattr(type(item), str(key), None), cached_property)]
        found[f"{type(item).__name__} {id(item):x}"] = sorted(map(str, own))
        return isinstance(item, BasePydanticVectorStore)

    walk(app, "app", note, lambda item: type(item).__module__.startswith(("llama_index", "tests")) or callable(item))
    found["hook"] = threading.excepthook
    found["mixin"] = dict(vars(DispatcherSpanMixin))
    for base in (BaseLLM, BaseNodePostprocessor, BasePydanticVectorStore):
        for cls in family(base):
            found[f"{cls.__module__}.{cls.__qualname__} {id(cls)}"] = dict(vars(cls))
    return found


def assert_same(app: Any, before: dict[str, Any]) -> None:
    after = inventory(app)
    for key, value in before.items():
        assert after.get(key, value) == value, key


@pytest.mark.parametrize("shape", SHAPES)
def test_plants_are_followed_to_the_prompt_and_the_application_is_as_before(
    shape: str, ledger: Ledger, spent: list[str]
) -> None:
    app = make(shape)
    before = inventory(app)
    results = darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, options=ONE, app=options(shape))
    assert_same(app, before)

    assert (results.exit_code, results.errors, results.leftovers) == (0, [], [])
    assert results.cleanup.planted == results.cleanup.removed > 0
    assert results.corpus_digest is not None and results.corpus_digest.same
    assert results.baseline.same is True
    assert results.target.app == f"{type(app).__name__} app"

    assert {o.outcome for o in results.observations} <= {"retrieved", "not retrieved"}
    retrieved = [o for o in results.observations if o.outcome == "retrieved"]
    assert "echo" in {o.pattern.partition(":")[0] for o in retrieved}
    stages = {o.stage for o in retrieved}
    last = "delivered" if shape in NO_MODEL else "in prompt"
    assert stages == ({"retrieved"} if shape in DROPS_ALL else {"retrieved", last} if shape in DROPPED_BY else {last})
    assert {o.dropped_by for o in retrieved} - {None} == ({DROPPED_BY[shape]} if shape in DROPPED_BY else set())
    funnel = results.scores[-1].funnel
    assert "delivered" in funnel
    assert ("in prompt" in funnel) == (shape not in NO_MODEL)

    if shape not in NEED_A_MODEL:
        assert spent == [], "no model was to be called"
    if shape != "llm_reranked":
        assert not any("topic: " in prompt or "tool: " in prompt for prompt in spent), "it saw what was retrieved"


@pytest.mark.parametrize("shape", [s for s in SHAPES if s not in NO_MODEL])
def test_with_answers_plants_are_followed_into_them(shape: str, ledger: Ledger, spent: list[str]) -> None:
    app = make(shape)
    before = inventory(app)
    results = darnel.run(app, QUESTIONS, ["echo:1"], ledger=ledger, options=ONE, app=options(shape, answers=True))
    assert_same(app, before)
    assert (results.exit_code, results.errors, results.leftovers) == (0, [], [])
    retrieved = [o for o in results.observations if o.outcome == "retrieved"]
    stages = {o.stage for o in retrieved}
    assert stages == (
        {"retrieved"} if shape in DROPS_ALL else {"retrieved", "in answer"} if shape in DROPPED_BY else {"in answer"}
    )
    assert {o.dropped_by for o in retrieved} - {None} == ({DROPPED_BY[shape]} if shape in DROPPED_BY else set())
    assert {"delivered", "in prompt", "in answer"} <= results.scores[-1].funnel.keys()
    assert spent or shape in DROPS_ALL


@pytest.mark.parametrize("shape", sorted(NEED_A_MODEL))
def test_a_model_that_is_needed_earlier_is_asked_leave_for(shape: str, ledger: Ledger, spent: list[str]) -> None:
    results = darnel.run(make(shape), QUESTIONS, ["echo:1"], ledger=ledger, app=AppOptions(retries=0))
    assert results.exit_code == 2
    assert {o.outcome for o in results.observations} == {"inconclusive"}
    assert all(NEED_A_MODEL[shape] in str(o.detail) and "--allow-model" in str(o.detail) for o in results.observations)
    assert spent == []


@pytest.mark.parametrize("shape", SHAPES)
def test_how_many_sources_it_reads_is_its_retrievers_word(shape: str) -> None:
    assert darnel.open_target(make(shape), app=options(shape)).k == K.get(shape, 3)


def test_two_stores_are_listed_and_one_is_chosen() -> None:
    app = make("two_stores")
    paths = find_stores(app)
    assert paths == ["app._retriever._retrievers[0]._index", "app._retriever._retrievers[1]._index"]
    with pytest.raises(darnel.DarnelError, match="holds 2 vector stores") as refused:
        darnel.open_target(app)
    assert all(path in str(refused.value) for path in paths)
    with pytest.raises(darnel.DarnelError, match="elsewhere"):
        darnel.open_target(app, app=AppOptions(store="elsewhere"))
    with pytest.raises(darnel.DarnelError, match="_index"):
        darnel.open_target(app, app=AppOptions(store="_index"))
    chosen = darnel.open_target(app, app=AppOptions(store="_retrievers[1]._index"))
    assert chosen.injector.describe().size == 12
    assert any(paths[1] in check.detail for check in chosen.checks())


def test_a_spec_names_the_application_and_the_store_in_it() -> None:
    where = "llamaindex:tests.apps.llamaindex.zoo.two_stores:make"
    with pytest.raises(darnel.DarnelError, match="holds 2 vector stores"):
        darnel.open_target(where)
    second = "make._retriever._retrievers[1]._index"
    target = darnel.open_target(where, app=AppOptions(store=second))
    try:
        assert target.spec == f"{where}?store={quote_plus(second)}"
        assert target.injector.describe().size == 12
    finally:
        target.close()
    again = darnel.open_target(target.spec)
    try:
        assert again.injector.describe().identity == target.injector.describe().identity
    finally:
        again.close()
    with pytest.raises(darnel.DarnelError, match="stor"):
        darnel.open_target(f"{where}?shop=1")
    alone = darnel.open_target("llamaindex:tests.apps.llamaindex.zoo.query_engine:make")
    assert "?" not in alone.spec


def test_a_method_is_asked_and_its_object_searched_for_the_store(ledger: Ledger, spent: list[str]) -> None:
    where = "llamaindex:tests.apps.llamaindex.zoo.service:desk.ask"
    results = darnel.run(where, QUESTIONS, ["echo:1"], ledger=ledger, options=ONE)
    assert results.exit_code == 0
    assert {o.stage for o in results.observations if o.outcome == "retrieved"} == {"in prompt"}
    assert spent == []


def test_an_application_without_a_store_says_where_it_was_sought() -> None:
    from llama_index.core.chat_engine import SimpleChatEngine

    from tests.apps.llamaindex.zoo.parts import QuotingLLM

    with pytest.raises(darnel.DarnelError, match="found no vector store in app.*--into"):
        darnel.open_target(SimpleChatEngine.from_defaults(llm=QuotingLLM()))


def test_a_workflow_of_which_nobody_knows_how_it_takes_a_question_is_refused() -> None:
    from llama_index.core.workflow import StartEvent, StopEvent, Workflow, step

    from darnel.adapters.llamaindex import llamaindex_target
    from tests.apps.llamaindex.zoo.parts import index

    class Own(Workflow):
        def __init__(self) -> None:
            super().__init__()
            self.notes = index()

        @step
        async def answer(self, event: StartEvent) -> StopEvent:
            return StopEvent(self.notes.as_retriever().retrieve(event.words))

    with pytest.raises(darnel.DarnelError, match="cannot tell how a Own takes a question"):
        llamaindex_target(Own())


def test_caches_are_told_of() -> None:
    from llama_index.core.ingestion import IngestionCache, IngestionPipeline
    from llama_index.core.storage.kvstore import SimpleKVStore

    from tests.apps.llamaindex.zoo.parts import QuotingLLM, index

    notes = index()
    notes._embed_model.embeddings_cache = SimpleKVStore()
    engine, pipeline = (
        notes.as_query_engine(llm=QuotingLLM()),
        IngestionPipeline(transformations=[], cache=IngestionCache()),
    )

    def answer(question: str) -> str:
        return str(engine.query(question)) + str(pipeline.name)

    told = [c for c in darnel.open_target(answer).checks() if c.name == "cache"]
    assert {c.detail.split()[0] for c in told} == {"app.<pipeline>.cache", "app.<engine>._retriever._embed_model"}
    assert all(c.ok is None for c in told)


def test_a_store_that_cannot_be_found_is_handed_over(ledger: Ledger, spent: list[str]) -> None:
    from tests.apps.llamaindex.zoo import parts

    notes = parts.index()
    hidden = {id(notes): notes}.values().__iter__  # an iterator's method, which no walk looks into

    def answer(question: str) -> str:
        return str(next(hidden()).as_query_engine(llm=parts.QuotingLLM(), similarity_top_k=3).query(question))

    from darnel.adapters.llamaindex import llamaindex_target

    with pytest.raises(darnel.DarnelError, match="--into"):
        llamaindex_target(answer)
    results = darnel.run(
        llamaindex_target(answer, app=AppOptions(into=darnel.open_target(notes))),
        QUESTIONS,
        ["echo:1"],
        ledger=ledger,
        options=ONE,
    )
    assert (results.exit_code, results.leftovers) == (0, [])
    assert {o.stage for o in results.observations if o.outcome == "retrieved"} == {"in prompt"}
    assert spent == []
