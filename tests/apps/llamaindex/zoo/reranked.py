"""A query engine with a cutoff that nothing gets over, after one that changes nothing."""

from typing import Any

from llama_index.core.postprocessor import LongContextReorder, SimilarityPostprocessor

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    after = [LongContextReorder(), SimilarityPostprocessor(similarity_cutoff=1.01)]
    return index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3, node_postprocessors=after)
