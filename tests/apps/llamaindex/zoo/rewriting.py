"""A fusion retriever that lets its model write more questions."""

from typing import Any

from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    llm = QuotingLLM()
    legs = [index(qdrant()).as_retriever(similarity_top_k=3)]
    fused = QueryFusionRetriever(legs, llm=llm, similarity_top_k=3, num_queries=3, use_async=False)
    return RetrieverQueryEngine.from_args(fused, llm=llm)
