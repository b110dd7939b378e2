"""Vectors and BM25 fused; the BM25 leg knows the documents of the start alone."""

from typing import Any

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts


def make() -> Any:
    vectors = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    words = BM25Retriever.from_documents(parts.documents(), k=3)
    both = EnsembleRetriever(retrievers=[words, vectors], weights=[0.4, 0.6])
    return {"context": both | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
