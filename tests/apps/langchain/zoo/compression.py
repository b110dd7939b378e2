"""A compressor behind the retriever that lets only what is like the question pass."""

from typing import Any

from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import EmbeddingsFilter
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = ContextualCompressionRetriever(
        base_compressor=EmbeddingsFilter(embeddings=parts.HashedEmbeddings(), k=2),
        base_retriever=parts.in_memory().as_retriever(search_kwargs={"k": 6}),
    )
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
