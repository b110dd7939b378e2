"""An object of the application's own that is called with a question, and keeps its engine in a class attribute."""

from typing import Any

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


class Service:
    def __init__(self) -> None:
        self.parts = {"engine": index().as_query_engine(llm=QuotingLLM(), similarity_top_k=3, streaming=True)}

    def __call__(self, question: str, lang: str = "en") -> Any:
        yield from self.parts["engine"].query(question).response_gen


def make() -> Any:
    return Service()


class Desk:
    """Asked by ``ask``; the store stays behind it."""

    def __init__(self) -> None:
        self.service = Service()

    def ask(self, question: str) -> str:
        return "".join(self.service(question))


desk = Desk()
