"""A query engine whose model chooses the best of the notes."""

from typing import Any

from llama_index.core.postprocessor import LLMRerank

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    llm = QuotingLLM()
    return index().as_query_engine(llm=llm, similarity_top_k=4, node_postprocessors=[LLMRerank(llm=llm, top_n=2)])
