"""Agents in a workflow, with a tool that is a plain function over a retriever."""

from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow

from tests.apps.llamaindex.zoo.parts import index, qdrant, tool_llm


def make() -> Any:
    retriever = index(qdrant()).as_retriever(similarity_top_k=3)

    def search(words: str) -> str:
        """Searches the notes."""
        return "\n".join(n.node.get_content() for n in retriever.retrieve(words))

    return AgentWorkflow.from_tools_or_functions([search], llm=tool_llm())
