"""A router that lets its model choose between a short and a long answer."""

from typing import Any

from llama_index.core.query_engine import RouterQueryEngine
from llama_index.core.selectors import LLMSingleSelector
from llama_index.core.tools import QueryEngineTool

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    notes, llm = index(qdrant()), QuotingLLM()
    short, long = (notes.as_query_engine(llm=llm, similarity_top_k=k) for k in (3, 6))
    tools = [
        QueryEngineTool.from_defaults(short, name="short", description="for short answers"),
        QueryEngineTool.from_defaults(long, name="long", description="for long answers"),
    ]
    return RouterQueryEngine(LLMSingleSelector.from_defaults(llm=llm), tools, llm=llm)
