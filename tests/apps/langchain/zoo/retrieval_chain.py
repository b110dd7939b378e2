"""create_retrieval_chain with a stuffing chain."""

from typing import Any

from langchain_classic.chains import create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_core.prompts import ChatPromptTemplate

from tests.apps.langchain.zoo import parts


def make() -> Any:
    prompt = ChatPromptTemplate.from_messages([("system", "Use this:\n{context}"), ("human", "{input}")])
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    return create_retrieval_chain(retriever, create_stuff_documents_chain(parts.quotes(), prompt))
