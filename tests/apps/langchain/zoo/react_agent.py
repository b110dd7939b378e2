"""The older prebuilt agent, with a tool that calls the store itself."""

import warnings
from typing import Any

from langchain_core.tools import tool

from tests.apps.langchain.zoo import parts


def make() -> Any:
    store = parts.in_memory()

    @tool
    def search_notes(query: str) -> str:
        """Searches the notes of the travel guide."""
        return parts.joined(store.similarity_search(query, k=4))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it moved
        from langgraph.prebuilt import create_react_agent

        return create_react_agent(parts.ToolCallingModel(), [search_notes])
