"""A function that asks in two wordings at once, with ``batch``."""

from typing import Any

from tests.apps.langchain.zoo import lcel_invoke


def make() -> Any:
    chain = lcel_invoke.make()

    def answer(question: str) -> str:
        answers: list[str] = chain.batch([question, f"Tell me: {question}"])
        return answers[0]

    return answer
