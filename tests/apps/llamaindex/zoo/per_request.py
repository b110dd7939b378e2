"""A function that makes its engine for each question, over the store that keeps no text."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, simple


def make() -> Any:
    notes = index(simple())

    def answer(question: str) -> str:
        return str(notes.as_query_engine(llm=QuotingLLM(), similarity_top_k=3).query(question))

    return answer
