"""An asynchronous function, as a web service has it."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


def make() -> Any:
    engine = index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3)

    async def answer(question: str) -> str:
        return str(await engine.aquery(question))

    return answer
