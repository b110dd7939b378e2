"""A chain with a step that is only there asynchronously."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from tests.apps.langchain.zoo import parts


async def join(found: list[Document]) -> str:
    return parts.joined(found)


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    context = retriever | RunnableLambda(join)
    return {"context": context, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes() | StrOutputParser()
