"""Applications that misbehave."""

import sys
import time
from collections.abc import Callable
from typing import Any

from llama_index.core.schema import TextNode

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index

asked: list[str] = []


def _around(spoil: Callable[[int, Any], None]) -> Any:
    notes = index()
    engine = notes.as_query_engine(llm=QuotingLLM(), similarity_top_k=3)
    count = [0]

    def answer(question: str) -> str:
        count[0] += 1
        spoil(count[0], notes)
        return str(engine.query(question))

    return answer


def raises_on_the_third() -> Any:
    def spoil(number: int, _notes: Any) -> None:
        if number % 3 == 0:
            raise RuntimeError("the third is one too many")

    return _around(spoil)


def hangs() -> Any:
    def spoil(number: int, _notes: Any) -> None:
        if number % 4 == 0:
            time.sleep(4)

    return _around(spoil)


def prints() -> Any:
    return _around(lambda number, _notes: print("I am asked", number))


def exits() -> Any:
    def spoil(number: int, _notes: Any) -> None:
        if number % 3 == 0:
            sys.exit(7)

    return _around(spoil)


def writes() -> Any:
    def spoil(number: int, notes: Any) -> None:
        if number == 3:
            notes.insert_nodes(
                [TextNode(id_="mine", text="written while asked", metadata={"topic": "x", "tenant": "acme"})]
            )

    return _around(spoil)
