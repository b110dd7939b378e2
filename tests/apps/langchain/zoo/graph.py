"""A LangGraph with a node that retrieves, one that grades and one that answers, and a checkpointer."""

from typing import Any, TypedDict

from langchain_core.documents import Document
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from tests.apps.langchain.zoo import parts


class State(TypedDict, total=False):
    question: str
    documents: list[Document]
    answer: str


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 6})
    model = parts.quotes()

    def retrieve(state: State) -> State:
        return {"documents": retriever.invoke(state["question"])}

    def shorten(state: State) -> State:
        return {"documents": state["documents"][:3]}

    def answer(state: State) -> State:
        messages = parts.PROMPT.format_messages(context=parts.joined(state["documents"]), question=state["question"])
        return {"answer": str(model.invoke(messages).content)}

    graph = StateGraph(State)
    for name, node in (("retrieve", retrieve), ("shorten", shorten), ("answer", answer)):
        graph.add_node(name, node)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "shorten")
    graph.add_edge("shorten", "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=InMemorySaver())
