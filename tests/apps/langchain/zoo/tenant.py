"""A retriever that is kept to one tenant, the smaller one, by a filter."""

from typing import Any

from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_chroma().as_retriever(search_kwargs={"k": 4, "filter": {"tenant": "red"}})
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
