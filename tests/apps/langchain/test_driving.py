"""In what form a question is handed over: found out by itself, or given."""

from __future__ import annotations

import importlib
from typing import Any, TypedDict

import pytest
from langchain_core.documents import Document
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import BaseMessage
from langchain_core.prompts import PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langgraph.graph import END, START, MessagesState, StateGraph

from darnel.adapters.apps.options import AppOptions
from darnel.adapters.langchain.apps.shapes import guess_shapes
from darnel.api import open_target
from darnel.core.corpus import Reply
from tests.apps.langchain.zoo import parts

QUESTION = "Who lends maps and atlases?"


def ask(app: Any, **options: Any) -> Reply:
    target = open_target(app, app=AppOptions(retries=0, **options))
    assert target.retriever is not None
    return target.retriever.retrieve([QUESTION], 4)[0]


def found_by(question: str) -> list[Document]:
    return parts.in_memory().similarity_search(question, k=4)


class Nested(TypedDict):
    query: str
    found: list[Document]


def of_messages(store: Any) -> Any:
    def node(state: MessagesState) -> dict[str, list[BaseMessage]]:
        found = store.similarity_search(str(state["messages"][-1].content), k=4)
        return {"messages": [parts.quotes().invoke(parts.joined(found))]}

    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()


def of_query(store: Any) -> Any:
    def node(state: Nested) -> Any:
        return {"found": store.similarity_search(state["query"], k=4)}

    return StateGraph(Nested).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()


class Asks:
    """An application's own class, with state and a method."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __call__(self, question: str) -> list[Document]:
        return list(self._store.similarity_search(question, k=4))


def retriever(store: Any) -> Any:
    return store.as_retriever(search_kwargs={"k": 4})


def unschooled(key: str) -> Any:
    """A chain that takes a key and says nowhere which."""
    return lambda store: RunnableLambda(lambda given: retriever(store).invoke(given[key]))


SHAPES = {
    "string": lambda s: RunnablePassthrough() | retriever(s),
    "itemgetter": lambda s: (
        RunnablePassthrough.assign(context=(lambda x: x["question"]) | retriever(s) | parts.joined)
        | parts.PROMPT
        | parts.quotes()
    ),
    "prompt": lambda s: PromptTemplate.from_template("{topic}") | (lambda p: p.to_string()) | retriever(s),
    "question": unschooled("question"),
    "input": unschooled("input"),
    "query": unschooled("query"),
    "messages": of_messages,
    "state": of_query,
    "callable": lambda s: Asks(s).__call__,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_form_is_found_out(shape: str) -> None:
    reply = ask(SHAPES[shape](parts.in_memory()))
    assert reply.error is None
    assert [s.text for s in reply.sources] == [d.page_content for d in found_by(QUESTION)]


def test_the_form_is_found_out_once() -> None:
    tried: list[Any] = []
    store = parts.in_memory()

    def answer(given: Any) -> Any:
        tried.append(given)
        return retriever(store).invoke(given["query"])

    target = open_target(RunnableLambda(answer), app=AppOptions(retries=0, jobs=1))
    target.retriever.retrieve([QUESTION], 4)
    first = len(tried)
    target.retriever.retrieve([QUESTION, QUESTION], 4)
    assert first > 1
    assert tried[first:] == [{"query": QUESTION}, {"query": QUESTION}]


def test_the_form_is_given() -> None:
    store = parts.in_memory()
    app = RunnableLambda(lambda given: retriever(store).invoke(given["ask"]["words"][0]))
    assert "--input" in (ask(app).error or "")
    reply = ask(app, input='{"ask": {"words": ["{query}"]}, "lang": "en"}')
    assert reply.error is None
    assert len(reply.sources) == 4


def test_a_failure_of_the_application_is_not_taken_for_a_wrong_form() -> None:
    store = parts.in_memory()
    asked: list[Any] = []

    def answer(given: str) -> Any:
        asked.append(given)
        retriever(store)
        raise ConnectionError("down")

    assert ask(RunnableLambda(answer)).error == "ConnectionError: down"
    assert asked == [QUESTION]


def test_a_function_around_a_graph_gets_the_question_itself() -> None:
    graph = of_query(parts.in_memory())
    reply = ask(lambda question: graph.invoke({"query": question}))
    assert [s.text for s in reply.sources] == [d.page_content for d in found_by(QUESTION)]
    assert reply.delivered is not None
    assert len(reply.delivered) == 4


def test_each_question_has_a_thread_of_its_own() -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    store, seen = parts.in_memory(), list[int]()

    def node(state: MessagesState) -> Any:
        seen.append(len(state["messages"]))
        return {"messages": [str(store.similarity_search(str(state["messages"][-1].content)))]}

    saver = InMemorySaver()
    graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").add_edge("node", END)
    target = open_target(graph.compile(checkpointer=saver))
    target.retriever.retrieve([QUESTION] * 3, 4)
    assert seen == [1, 1, 1]


def test_a_language_model_that_is_no_chat_model_is_stopped_too() -> None:
    store = parts.in_memory()
    model = FakeListLLM(responses=["an answer"])
    chain = {"context": retriever(store) | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | model
    reply = ask(chain)
    assert (reply.answer, reply.error) == (None, None)
    assert QUESTION in (reply.prompt or "")
    assert ask(chain, answers=True).answer == "an answer"


@pytest.mark.parametrize("name", ["graph", "retrieval_chain", "retrieval_qa", "agent", "sessions"])
def test_what_an_application_says_of_its_input_is_tried_first(name: str) -> None:
    app = importlib.import_module(f"tests.apps.langchain.zoo.{name}").make()
    expected = {"graph": "question", "sessions": "question", "retrieval_chain": "input", "retrieval_qa": "query"}
    given = guess_shapes(app)[0](QUESTION)
    assert list(given) == [expected.get(name, "messages")]
    assert QUESTION in str(given)
