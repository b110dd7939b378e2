"""A query engine that pinned the ids of its nodes when it was made."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, simple


def make() -> Any:
    return index(simple()).as_query_engine(llm=QuotingLLM(), similarity_top_k=3)
