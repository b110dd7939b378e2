"""A function that searches in a thread pool of its own."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    engine, pool = index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3), ThreadPoolExecutor(2)

    def answer(question: str) -> str:
        return str(pool.submit(engine.query, question).result())

    return answer
