"""An agent whose tool is a query engine."""

from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.tools import RetrieverTool

from tests.apps.llamaindex.zoo.parts import index, tool_llm


def make() -> Any:
    tool = RetrieverTool.from_defaults(index().as_retriever(similarity_top_k=3), name="search", description="the notes")
    return FunctionAgent(tools=[tool], llm=tool_llm())
