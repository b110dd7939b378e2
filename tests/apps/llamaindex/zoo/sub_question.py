"""A query engine that asks sub-questions."""

from typing import Any

from llama_index.core.query_engine import SubQuestionQueryEngine
from llama_index.core.question_gen import LLMQuestionGenerator
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.tools import QueryEngineTool

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    llm = QuotingLLM()
    tool = QueryEngineTool.from_defaults(
        index().as_query_engine(llm=llm, similarity_top_k=3), name="notes", description="notes"
    )
    return SubQuestionQueryEngine(
        LLMQuestionGenerator.from_defaults(llm=llm),
        get_response_synthesizer(llm=llm, use_async=True),
        [tool],
        use_async=True,
    )
