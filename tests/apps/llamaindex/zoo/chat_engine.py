"""A chat engine that condenses the conversation and puts what it found into the system prompt."""

from typing import Any

from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.llms import ChatMessage

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    history = [ChatMessage(role="user", content="Hello."), ChatMessage(role="assistant", content="Good day.")]
    return index().as_chat_engine(
        ChatMode.CONDENSE_PLUS_CONTEXT, llm=QuotingLLM(), similarity_top_k=3, chat_history=history
    )
