"""A ReAct agent whose tool is a query engine with a model of its own."""

from typing import Any

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.tools import QueryEngineTool

from tests.apps.llamaindex.zoo.parts import QuotingLLM, ThinkingLLM, index


def make() -> Any:
    engine = index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3)
    return ReActAgent(
        tools=[QueryEngineTool.from_defaults(engine, name="notes", description="the notes")], llm=ThinkingLLM()
    )
