"""An engine that fuses two stores."""

from typing import Any

from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    llm = QuotingLLM()
    legs = [index().as_retriever(similarity_top_k=3), index(qdrant(), 12).as_retriever(similarity_top_k=3)]
    return RetrieverQueryEngine.from_args(
        QueryFusionRetriever(legs, llm=llm, num_queries=1, similarity_top_k=1, use_async=False), llm=llm
    )
