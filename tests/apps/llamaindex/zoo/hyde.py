"""A query engine that lets its model imagine an answer and searches with that."""

from typing import Any

from llama_index.core.indices.query.query_transform import HyDEQueryTransform
from llama_index.core.query_engine import TransformQueryEngine

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    llm = QuotingLLM()
    engine = index(qdrant()).as_query_engine(llm=llm, similarity_top_k=3)
    return TransformQueryEngine(engine, HyDEQueryTransform(llm=llm, include_original=True))
