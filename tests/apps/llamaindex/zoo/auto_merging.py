"""A retriever that merges pieces into what they are pieces of."""

from typing import Any

from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import AutoMergingRetriever

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    notes = index()
    retriever = AutoMergingRetriever(notes.as_retriever(similarity_top_k=3), notes.storage_context)
    return RetrieverQueryEngine.from_args(retriever, llm=QuotingLLM())
