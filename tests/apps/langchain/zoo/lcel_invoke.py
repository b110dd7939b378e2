"""The chain of every tutorial."""

from typing import Any

from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    return (
        {"context": retriever | parts.joined, "question": RunnablePassthrough()}
        | parts.PROMPT
        | parts.quotes()
        | StrOutputParser()
    )
