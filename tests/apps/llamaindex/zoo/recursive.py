"""A recursive retriever that starts at a vector index."""

from typing import Any

from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import RecursiveRetriever

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    retriever = RecursiveRetriever("vector", {"vector": index(qdrant()).as_retriever(similarity_top_k=3)})
    return RetrieverQueryEngine.from_args(retriever, llm=QuotingLLM())
