"""A query engine that cuts its sources anew to number them."""

from typing import Any

from llama_index.core.query_engine import CitationQueryEngine

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    return CitationQueryEngine.from_args(index(), llm=QuotingLLM(), similarity_top_k=3, citation_chunk_size=256)
