"""A function that asks its model for an object, through a method that goes straight to the model's client."""

from typing import Any

from llama_index.core.prompts import PromptTemplate
from pydantic import BaseModel

from tests.apps.llamaindex.zoo.parts import QuotingLLM, count, index, qdrant


class Answer(BaseModel):
    text: str


class ClientLLM(QuotingLLM):
    def structured_predict(self, output_cls: Any, prompt: Any, llm_kwargs: Any = None, **prompt_args: Any) -> Any:
        count(prompt.format(**prompt_args))
        return output_cls(text=prompt.format(**prompt_args))


def make() -> Any:
    retriever, llm = index(qdrant()).as_retriever(similarity_top_k=3), ClientLLM()
    template = PromptTemplate("Use these notes: {notes}\nQuestion: {question}")

    def answer(question: str) -> Answer:
        notes = "\n".join(n.node.get_content() for n in retriever.retrieve(question))
        return llm.structured_predict(Answer, template, notes=notes, question=question)

    return answer
