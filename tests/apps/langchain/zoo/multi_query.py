"""A model writes two questions more, and the store is asked for each."""

from typing import Any

from langchain_classic.retrievers import MultiQueryRetriever
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = MultiQueryRetriever.from_llm(
        retriever=parts.in_memory().as_retriever(search_kwargs={"k": 4}),
        llm=parts.says("When does the harbour open its gates?\nWho lends maps and atlases?"),
        include_original=True,
    )
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
