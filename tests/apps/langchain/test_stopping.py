"""Where an application is stopped, what is kept of its prompt, and what is said where a model is needed before."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_classic.chains import RetrievalQA
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import LLMChainFilter
from langchain_core.documents import Document
from langchain_core.globals import set_llm_cache
from langchain_core.output_parsers import StrOutputParser
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import (
    Runnable,
    RunnableBranch,
    RunnableConfig,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.langchain.apps.capture import Capture, current
from darnel.adapters.langchain.apps.stop import Stop, holds_any
from darnel.api import open_target
from darnel.core.corpus import Reply
from tests.apps.langchain.zoo import parts

QUESTION = "Who lends maps and atlases?"


def ask(app: Any, **options: Any) -> Reply:
    target = open_target(app, app=AppOptions(retries=0, **options))
    assert target.retriever is not None
    return target.retriever.retrieve([QUESTION], 4)[0]


def context(k: int = 4, **more: Any) -> Any:
    return parts.in_memory().as_retriever(search_kwargs={"k": k}, **more) | parts.joined


def chain(**more: Any) -> Any:
    return RunnableParallel(context=context(), question=RunnablePassthrough(), **more) | parts.PROMPT | parts.quotes()


def shown(reply: Reply) -> bool:
    """Stopped with a prompt that holds everything that was retrieved, and without an answer."""
    return (
        (reply.error, reply.answer) == (None, None)
        and len(reply.sources) >= 4
        and all((s.text or "") in (reply.prompt or "") for s in reply.sources)
    )


def swallows(question: str) -> str:
    try:
        return str(INNER.invoke(question).content)
    except Exception:
        return "Sorry."


def swallows_all(question: str) -> str:
    for _ in range(3):
        try:
            return str(INNER.invoke(question).content)
        except BaseException:
            continue
    return "Sorry."


async def in_tasks(question: str) -> Any:
    return await asyncio.gather(INNER.ainvoke(question), INNER.ainvoke(question))


async def in_task_group(question: str) -> Any:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(INNER.ainvoke(question))
    return task.result()


async def streamed(question: str) -> Any:
    async for piece in INNER.astream(question):
        yield piece


INNER = chain()


class InThread(Runnable[str, Any]):
    """Hands its configuration on, and its context not."""

    def invoke(self, input: str, config: RunnableConfig | None = None, **_kwargs: Any) -> Any:  # noqa: A002
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(INNER.invoke, input, config).result()


@pytest.mark.parametrize(
    "app",
    [
        swallows,
        swallows_all,
        in_tasks,
        in_task_group,
        streamed,
        chain().with_retry(),
        chain().with_fallbacks([RunnableLambda(lambda _: "Sorry.")]),
        RunnableParallel(one=INNER, other=INNER),
        chain() | StrOutputParser(),
        RunnableBranch((lambda q: "maps" in q, INNER), INNER),
        RunnableLambda(lambda q: INNER.batch([q])),
        InThread(),
    ],
    ids=[
        "except",
        "swallow_all",
        "gather",
        "group",
        "astream",
        "retry",
        "fallback",
        "parallel",
        "parser",
        "branch",
        "batch",
        "own_thread",
    ],
)
def test_nothing_of_the_applications_takes_the_stop_for_a_failure(app: Any, spent: list[str]) -> None:
    assert shown(ask(app))
    assert spent == []


def test_a_model_beside_the_search_is_needed_before(spent: list[str]) -> None:
    route = parts.PROMPT.partial(context="one word") | parts.says("travel") | StrOutputParser()
    app = RunnableParallel(topic=route.with_config(run_name="topic"), question=RunnablePassthrough()) | (
        lambda found: INNER.invoke(found["question"])
    )
    reply = ask(app)
    assert "'topic' calls a model (CountingModel) before anything is retrieved" in (reply.error or "")
    assert "--allow-model" in (reply.error or "")
    assert spent == []
    assert shown(ask(app, allow_model=True))
    assert {"one word" in prompt for prompt in spent} == {True}


def test_a_prompt_that_holds_none_of_what_was_retrieved_is_not_the_one(spent: list[str]) -> None:
    store = parts.in_memory()
    helper = parts.says("a summary")

    def answer(question: str) -> Any:
        found = store.similarity_search(question, k=4)
        helper.invoke("Say hello.")
        return parts.quotes().invoke(parts.joined(found))

    assert "holds nothing of what was retrieved" in (ask(answer).error or "")
    assert shown(ask(answer, allow_model=True))
    assert spent == ["Say hello."]


def test_where_nothing_is_left_to_show_the_model_is_stopped_all_the_same(spent: list[str]) -> None:
    strict = RunnableLambda(lambda found: found[:0], name="strict")
    found = parts.in_memory().as_retriever() | strict | parts.joined
    app = RunnableParallel(context=found, question=RunnablePassthrough()) | parts.PROMPT | parts.quotes()
    reply = ask(app)
    assert (reply.error, reply.delivered) == (None, ())
    assert len(reply.sources) == 4
    assert [(step.name, step.sources) for step in reply.steps] == [("strict", ())]
    assert spent == []


def test_a_chain_that_shows_its_documents_one_by_one_leaves_the_prompt_open(spent: list[str]) -> None:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    app = RetrievalQA.from_chain_type(llm=parts.quotes(), retriever=retriever, chain_type="refine")
    reply = ask(app)
    assert (reply.error, reply.prompt) == (None, None)
    assert len(reply.delivered or ()) == 4
    assert spent == []
    whole = ask(app, answers=True)
    assert all((s.text or "") in (whole.prompt or "") for s in whole.sources)


def test_prompts_that_never_came_to_their_model_count_too(spent: list[str]) -> None:
    def one_after_the_other(question: str) -> Any:
        return INNER.batch([question, "What does the salt mill do?"], config={"max_concurrency": 1})

    reply = ask(one_after_the_other)
    assert shown(reply)
    assert len(reply.sources) > 4
    assert spent == []


def test_a_model_inside_a_retriever_that_sees_documents_is_needed_before(spent: list[str]) -> None:
    retriever = ContextualCompressionRetriever(
        base_compressor=LLMChainFilter.from_llm(parts.says("YES", "NO")),
        base_retriever=parts.in_memory().as_retriever(search_kwargs={"k": 4}),
    )
    app = RunnableParallel(context=retriever | parts.joined, question=RunnablePassthrough())
    app = app | parts.PROMPT | parts.quotes()
    assert "--allow-model" in (ask(app).error or "")
    assert spent == []
    reply = ask(app, allow_model=True)
    assert (reply.error, reply.answer) == (None, None)
    assert [(s.name, len(s.sources)) for s in reply.steps] == [("ContextualCompressionRetriever", 2)]
    assert reply.prompt is not None
    assert [(s.text or "") in reply.prompt for s in reply.steps[0].sources] == [True, True]
    assert len(spent) == 4


def test_a_search_after_a_retriever_is_not_inside_of_it() -> None:
    store = parts.in_memory()
    retriever = store.as_retriever(search_kwargs={"k": 1})

    def answer(question: str) -> list[Document]:
        first = retriever.invoke(question)
        return [*first, *store.similarity_search("salt mill", k=2)][:2]

    reply = ask(answer)
    assert reply.steps == ()
    assert len(reply.sources) == 3


def test_threads_that_are_given_the_callbacks_are_told_apart(spent: list[str]) -> None:
    store = parts.in_memory()
    retriever = store.as_retriever(search_kwargs={"k": 4})
    pool = ThreadPoolExecutor(2)

    def answer(question: str, config: RunnableConfig) -> Any:
        first = pool.submit(retriever.invoke, question, config).result()
        return parts.quotes().invoke(parts.joined(first), config)

    target = open_target(RunnableLambda(answer), app=AppOptions(retries=0, jobs=3))
    questions = [QUESTION, "When does the harbour open its gates?", "What does the salt mill do?"] * 4
    replies = target.retriever.retrieve(questions, 4)
    for question, reply in zip(questions, replies, strict=True):
        assert (reply.error, reply.steps) == (None, ())
        assert [s.text for s in reply.sources] == [d.page_content for d in store.similarity_search(question, k=4)]
    assert target.retriever.remarks == []
    assert spent == []
    assert {pool.submit(current.get).result() for _ in range(4)} == {None}


class Thin(BaseRetriever):
    """A retriever of an application's own around a store."""

    store: Any

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list((await self.store.asimilarity_search(query, k=6))[1:3])

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list(self.store.similarity_search(query, k=6)[1:3])


class Wraps(BaseRetriever):
    """And one around a retriever, which does not say in whose name it asks."""

    inner: Any

    async def _aget_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list((await self.inner.ainvoke(query))[:1])

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return list(self.inner.invoke(query)[:1])


def test_a_search_that_two_see_counts_once() -> None:
    reply = ask(parts.in_memory().as_retriever(search_kwargs={"k": 4}) | RunnablePassthrough())
    assert len(reply.sources) == 4
    assert reply.steps == ()
    target = open_target(parts.in_memory().as_retriever(search_kwargs={"k": 4}) | RunnablePassthrough())
    captures: list[Capture] = []
    original = target.retriever._try
    target.retriever._try = lambda *a: (captures.append((found := original(*a))[0]), found)[1]
    target.retriever.retrieve([QUESTION], 4)
    assert len(captures[0].searches) == 1


async def later(value: Any) -> Any:
    return value


@pytest.mark.parametrize("last", [RunnablePassthrough(), RunnableLambda(later)], ids=["sync", "async"])
def test_retrievers_around_a_search_are_steps_in_their_order(last: Any) -> None:
    reply = ask(Wraps(inner=Thin(store=parts.in_memory())) | last)
    assert len(reply.sources) == 6
    assert [(s.name, len(s.sources)) for s in reply.steps] == [("Thin", 2), ("Wraps", 1)]
    assert reply.delivered == reply.steps[1].sources


def test_what_the_watching_itself_gets_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Capture, "saw_search", lambda *_: None)
    monkeypatch.setattr("darnel.adapters.langchain.apps.trail.same", lambda *_: 1 / 0)
    reply = ask(Wraps(inner=Thin(store=parts.in_memory())) | RunnableLambda(lambda found: found[:1]))
    assert "capture failed in on_" in (reply.error or "")
    assert "ZeroDivisionError" in (reply.error or "")


@pytest.mark.parametrize(
    ("prompt", "texts", "held"),
    [
        ("Context:\nThe mill  grinds\nsalt.", ["The mill grinds salt."], True),
        ("Context: nothing", ["The mill grinds salt."], False),
        ("Who lends maps and atlases?", ["Who lends maps and atlases?"], False),
        (
            "It keeps its apples until the end of March.",
            ["Note 1. It keeps its apples until the end of March. More"],
            True,
        ),
        ("yes, indeed", ["yes"], False),
    ],
)
def test_what_counts_as_holding_a_document(prompt: str, texts: list[str], held: bool) -> None:
    assert holds_any(prompt, texts, QUESTION) is held


def test_a_stop_is_no_exception() -> None:
    assert not issubclass(Stop, Exception)


def test_caches_and_memory_are_reported(tmp_path: Any) -> None:
    from langchain_classic.embeddings import CacheBackedEmbeddings
    from langchain_classic.storage import LocalFileStore
    from langchain_core.caches import InMemoryCache
    from langchain_core.vectorstores import InMemoryVectorStore

    cached = CacheBackedEmbeddings.from_bytes_store(
        parts.HashedEmbeddings(), LocalFileStore(tmp_path), namespace="x", key_encoder="sha256"
    )
    store = InMemoryVectorStore(cached)
    store.add_documents(parts.documents())
    set_llm_cache(InMemoryCache())
    try:
        checks = {c.name: c for c in open_target(store.as_retriever() | parts.joined).checks()}
    finally:
        set_llm_cache(None)
    assert checks["model cache"].ok is None
    assert checks["embedding cache"].ok is None
    assert "CacheBackedEmbeddings" in checks["embedding cache"].detail
    assert checks["application"].ok is True


def test_a_conversation_is_as_it_was() -> None:
    from tests.apps.langchain.zoo import conversational

    app = conversational.make()
    app.memory.chat_memory.add_user_message("Hello")
    before = list(app.memory.chat_memory.messages)
    held = app.memory.chat_memory.messages
    reply = ask(app, answers=True, allow_model=True)
    assert reply.error is None
    assert app.memory.chat_memory.messages == before
    assert app.memory.chat_memory.messages is held
