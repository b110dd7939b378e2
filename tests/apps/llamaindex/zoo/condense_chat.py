"""A chat engine around a query engine."""

from typing import Any

from llama_index.core.chat_engine.types import ChatMode

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    return index(qdrant()).as_chat_engine(ChatMode.CONDENSE_QUESTION, llm=QuotingLLM(), similarity_top_k=3)
