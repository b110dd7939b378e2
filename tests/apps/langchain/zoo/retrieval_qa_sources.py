"""RetrievalQA with its source documents, over Chroma."""

from typing import Any

from langchain_classic.chains import RetrievalQA

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_chroma().as_retriever(search_kwargs={"k": 4})
    return RetrievalQA.from_chain_type(llm=parts.quotes(), retriever=retriever, return_source_documents=True)
