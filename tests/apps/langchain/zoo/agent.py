"""An agent with a retriever tool."""

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import create_retriever_tool

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    tool = create_retriever_tool(retriever, "search_notes", "Searches the notes of the travel guide.")
    return create_agent(parts.ToolCallingModel(), [tool])
