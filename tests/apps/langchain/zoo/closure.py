"""A runnable around a function that calls a retriever without passing its configuration on."""

from typing import Any

from langchain_core.runnables import RunnableLambda

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    model = parts.quotes()

    def answer(inputs: dict[str, str]) -> str:
        found = retriever.invoke(inputs["question"])
        return str(model.invoke(parts.PROMPT.format_messages(context=parts.joined(found), **inputs)).content)

    return RunnableLambda(answer)
