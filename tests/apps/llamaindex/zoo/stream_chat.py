"""A function that streams a chat engine's answer, with a fresh conversation each time."""

from collections.abc import Iterator
from typing import Any

from llama_index.core.chat_engine import ContextChatEngine

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    retriever, llm = index().as_retriever(similarity_top_k=3), QuotingLLM()

    def answer(question: str) -> Iterator[str]:
        yield from ContextChatEngine.from_defaults(retriever, llm=llm).stream_chat(question).response_gen

    return answer
