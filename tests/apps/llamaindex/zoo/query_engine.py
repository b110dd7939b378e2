"""The query engine of the tutorials."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    return index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3)
