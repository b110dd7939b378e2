"""A reranker that is a function of the chain, and keeps two of six."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from tests.apps.langchain.zoo import parts


def rerank(inputs: dict[str, Any]) -> list[Document]:
    asked = set(inputs["question"].lower().split())
    return sorted(inputs["found"], key=lambda d: -len(asked & set(d.page_content.lower().split())))[:2]


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 6})
    pick = {"found": retriever, "question": RunnablePassthrough()} | RunnableLambda(rerank)
    return {"context": pick | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
