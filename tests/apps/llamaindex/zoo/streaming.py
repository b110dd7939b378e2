"""A query engine that streams its answer."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    return index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3, streaming=True)
