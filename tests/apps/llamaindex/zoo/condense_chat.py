"""A chat engine around a query engine."""

from typing import Any

from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.llms import ChatMessage

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    history = [ChatMessage(role="user", content="Hello."), ChatMessage(role="assistant", content="Good day.")]
    return index(qdrant()).as_chat_engine(
        ChatMode.CONDENSE_QUESTION, llm=QuotingLLM(), similarity_top_k=3, chat_history=history
    )
