"""Two retrievers fused by reciprocal rank, asked at the same time."""

from typing import Any

from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    notes, llm = index(), QuotingLLM()
    legs = [notes.as_retriever(similarity_top_k=4), notes.as_retriever(similarity_top_k=4)]
    fused = QueryFusionRetriever(
        legs, llm=llm, similarity_top_k=3, num_queries=1, mode="reciprocal_rerank", use_async=True
    )
    return RetrieverQueryEngine.from_args(fused, llm=llm)
