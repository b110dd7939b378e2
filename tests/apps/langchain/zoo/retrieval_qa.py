"""RetrievalQA, which returns its answer alone."""

from typing import Any

from langchain_classic.chains import RetrievalQA

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    return RetrievalQA.from_chain_type(llm=parts.quotes(), retriever=retriever)
