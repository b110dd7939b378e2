"""What the applications share: a small corpus, an embedding, stand-ins for models that count what they are asked."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from typing import Any

from llama_index.core import StorageContext, VectorStoreIndex
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import ChatMessage, CompletionResponse, CustomLLM, LLMMetadata, MockLLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.schema import TextNode

from tests.support.embedder import embed

TOPICS = {
    "bread": "flour yeast oven crust loaf knead dough rise bake salt",
    "boats": "sail mast hull keel harbour anchor tide rope wind deck",
    "bees": "hive honey queen swarm comb pollen nectar drone wax smoke",
}
spent: list[str] = []
"""What models were given to read."""
_numbers = itertools.count()


def nodes(count: int = 24) -> list[TextNode]:
    drawn = random.Random(1)
    made = []
    for number in range(count):
        topic = list(TOPICS)[number % len(TOPICS)]
        words = TOPICS[topic].split()
        text = " ".join(f"The {' '.join(drawn.sample(words, 4))} of note {number}." for _ in range(4))
        id_ = f"00000000-0000-4000-8000-{number:012d}"
        made.append(TextNode(id_=id_, text=text, metadata={"topic": topic, "tenant": "acme"}))
    return made


class WordEmbedding(BaseEmbedding):
    """Words' vectors added up."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return embed(text).tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return embed(query).tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


def simple() -> Any:
    from llama_index.core.vector_stores import SimpleVectorStore

    return SimpleVectorStore()


def chroma() -> Any:
    import chromadb
    from llama_index.vector_stores.chroma import ChromaVectorStore

    client = chromadb.EphemeralClient(chromadb.Settings(anonymized_telemetry=False))
    return ChromaVectorStore(client.create_collection(f"zoo-{next(_numbers)}", metadata={"hnsw:space": "cosine"}))


def qdrant() -> Any:
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    return QdrantVectorStore(f"zoo-{next(_numbers)}", client=QdrantClient(":memory:"))


def index(store: Any = None, count: int = 24) -> VectorStoreIndex:
    context = StorageContext.from_defaults(vector_store=chroma() if store is None else store)
    return VectorStoreIndex(nodes(count), storage_context=context, embed_model=WordEmbedding())


def count(text: str) -> None:
    spent.append(text)


class QuotingLLM(CustomLLM):
    """Quotes what it is given; chooses the first of any choices, and rewrites nothing."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(context_window=100_000, num_output=1_000)

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        count(prompt)
        return CompletionResponse(text=said(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        count(prompt)
        return iter([CompletionResponse(text=said(prompt), delta=said(prompt))])


class SilentLLM(MockLLM):
    """LlamaIndex's own, which counts."""

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        count(prompt)
        return super().complete(prompt, formatted, **kwargs)


def said(prompt: str) -> str:
    if "Some choices are given below" in prompt:
        return '[{"choice": 1, "reason": "it is the first"}]'
    if "list of tools" in prompt and "sub_question" in prompt:
        question = prompt.rsplit("<User Question>", 1)[-1].split("<Output>", maxsplit=1)[0]
        asked = question.strip().splitlines()[0].replace('"', "'")
        return '```json\n{"items": [{"sub_question": "' + asked + '", "tool_name": "notes"}]}\n```'
    if found := re.search(r"related to the following input query:\nQuery: (.*)\n", prompt):
        return f"{found[1]} please\nplease {found[1]}"
    if "select-documents" in prompt or "relevance score" in prompt:
        return "Doc: 1, Relevance: 9"
    return f"I read: {prompt}"


def tool_llm() -> Any:
    """A model that calls the tool named search with the user's words, and then quotes what came back."""

    def reply(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        count("\n".join(f"{m.role.value}: {m.content}" for m in messages))
        tools = [m for m in messages if m.role == "tool"]
        if tools:
            return ChatMessage(role="assistant", content=f"I read: {tools[-1].content}")
        asked = next(m.content for m in reversed(messages) if m.role == "user")
        name = kwargs["tools"][0].metadata.name
        key = next(iter(kwargs["tools"][0].metadata.get_parameters_dict()["properties"]))
        return ChatMessage(
            role="assistant", blocks=[ToolCallBlock(tool_call_id="1", tool_name=name, tool_kwargs={key: asked})]
        )

    return MockFunctionCallingLLM(response_generator=reply, is_chat_model=True)


class ThinkingLLM(QuotingLLM):
    """Thinks aloud as a ReAct agent's model does: it calls the tool, and then answers with what came back."""

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        count(prompt)
        return CompletionResponse(text=thought(prompt))

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        count(prompt)
        return iter([CompletionResponse(text=thought(prompt), delta=thought(prompt))])


def thought(prompt: str) -> str:
    seen = prompt.partition("## Current Conversation")[2].rpartition("Observation:")
    if seen[1]:
        return f"Thought: I can answer.\nAnswer: I read: {seen[2]}"
    asked = re.findall(r"^user: (.*)$", prompt, re.MULTILINE)[-1].replace('"', "'")
    return f'Thought: I need a tool.\nAction: notes\nAction Input: {{"input": "{asked}"}}'
