"""A function that loads its model's class when it needs it, and not before."""

from typing import Any

from llama_index.core.llms import CompletionResponse

from tests.apps.llamaindex.zoo.parts import QuotingLLM, count, index, qdrant, said


def make() -> Any:
    retriever = index(qdrant()).as_retriever(similarity_top_k=3)

    def answer(question: str) -> str:
        notes = "\n".join(n.node.get_content() for n in retriever.retrieve(question))

        class LateLLM(QuotingLLM):
            def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
                count(prompt)
                return CompletionResponse(text=said(prompt))

        return str(LateLLM().complete(f"{notes}\n{question}"))

    return answer
