"""A query engine that sees one tenant's notes only."""

from typing import Any

from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    filters = MetadataFilters(filters=[ExactMatchFilter(key="tenant", value="acme")])
    return index(qdrant()).as_query_engine(llm=QuotingLLM(), similarity_top_k=4, filters=filters)
