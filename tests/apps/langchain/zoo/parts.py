"""What the applications share: a corpus, an embedder, vector stores, and models that count what they are asked."""

from __future__ import annotations

import itertools
import uuid
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore

from tests.support.embedder import embed

SUBJECTS = (
    "harbour",
    "orchard",
    "lantern pier",
    "glacier",
    "saffron field",
    "walnut press",
    "map library",
    "salt mill",
)
FACTS = (
    "opens its gates at six and rings the bell twice",
    "keeps its best apples until March in a dry cellar",
    "lends atlases for a day and maps for a week",
)
PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Answer from the context alone.\n\n{context}"), ("human", "{question}")]
)

spent: list[str] = []
"""Prompts that reached a model."""


class HashedEmbeddings(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [embed(text).tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return embed(text).tolist()


class CountingModel(GenericFakeChatModel):
    """The framework's fake, which writes down what reaches it."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        spent.append("\n".join(str(m.content) for m in messages))
        return super()._generate(messages, stop=stop, run_manager=run_manager, **kwargs)


class QuotingModel(CountingModel):
    """Answers with the prompt, as a model does that obeys its context."""

    messages: Any = ()

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "\n".join(str(m.content) for m in messages)
        spent.append(text)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


class ToolCallingModel(QuotingModel):
    """Asks its tool for the question first, then quotes."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tool=tools[0].name)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if not isinstance(messages[-1], HumanMessage):
            return super()._generate(messages, stop, run_manager, **kwargs)
        spent.append(str(messages[-1].content))
        call = ToolCall(name=kwargs["tool"], args={"query": messages[-1].content}, id=str(uuid.uuid4()))
        return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])


def says(*answers: str) -> CountingModel:
    """A model that gives these answers in turn, over and over."""
    return CountingModel(messages=itertools.cycle([AIMessage(a) for a in answers]))


def quotes() -> QuotingModel:
    return QuotingModel()


def documents() -> list[Document]:
    found = []
    for number, (subject, fact) in enumerate(itertools.product(SUBJECTS, FACTS)):
        metadata = {"source": f"guide/{number:02}.md", "tenant": "blue" if number % 3 else "red"}
        text = f"Note {number}. The {subject} {fact}."
        found.append(Document(id=str(uuid.uuid5(uuid.NAMESPACE_URL, text)), page_content=text, metadata=metadata))
    return found


def in_memory() -> InMemoryVectorStore:
    store = InMemoryVectorStore(HashedEmbeddings())
    store.add_documents(documents())
    return store


def in_chroma() -> Any:
    import chromadb
    from langchain_chroma import Chroma

    client = chromadb.EphemeralClient(chromadb.config.Settings(anonymized_telemetry=False))
    store = Chroma(f"zoo-{uuid.uuid4().hex}", HashedEmbeddings(), client=client)
    store.add_documents(documents(), ids=[d.id for d in documents()])
    return store


def joined(found: list[Document]) -> str:
    return "\n\n".join(d.page_content for d in found)
