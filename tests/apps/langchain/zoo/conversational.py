"""ConversationalRetrievalChain with a memory that all questions share."""

import warnings
from typing import Any

from langchain_classic.chains import ConversationalRetrievalChain
from langchain_classic.memory import ConversationBufferMemory

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the class is old, and used all the same
        memory = ConversationBufferMemory(memory_key="chat_history", return_messages=True, output_key="answer")
    return ConversationalRetrievalChain.from_llm(parts.quotes(), retriever, memory=memory)
