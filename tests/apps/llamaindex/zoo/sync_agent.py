"""A plain function that runs an agent in an event loop of its own."""

import asyncio
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent

from tests.apps.llamaindex.zoo.parts import index, tool_llm


def make() -> Any:
    retriever = index().as_retriever(similarity_top_k=3)

    def search(words: str) -> str:
        """Searches the notes."""
        return "\n".join(n.node.get_content() for n in retriever.retrieve(words))

    agent = FunctionAgent(tools=[search], llm=tool_llm())

    async def work(question: str) -> str:
        return str(await agent.run(user_msg=question))

    return lambda question: asyncio.run(work(question))
