"""A generator of pieces, as a web handler has one."""

from collections.abc import Iterator
from typing import Any

from tests.apps.langchain.zoo import lcel_invoke


def make() -> Any:
    chain = lcel_invoke.make()

    def answer(question: str) -> Iterator[str]:
        yield from chain.stream(question)

    return answer
