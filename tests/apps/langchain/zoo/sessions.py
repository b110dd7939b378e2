"""A chain with a history for each session, and a fallback that would hide a failure."""

from typing import Any

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory

from tests.apps.langchain.zoo import parts

PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Use this:\n{context}"), MessagesPlaceholder("chat_history"), ("human", "{question}")]
)


def make() -> Any:
    retriever = parts.in_memory().as_retriever(search_kwargs={"k": 4})
    found = RunnablePassthrough.assign(context=(lambda inputs: inputs["question"]) | retriever | parts.joined)
    chain = found | PROMPT | parts.quotes() | StrOutputParser()
    histories: dict[str, InMemoryChatMessageHistory] = {}
    return RunnableWithMessageHistory(
        chain.with_fallbacks([RunnableLambda(lambda _: "Sorry, I cannot answer that.")]).with_retry(),
        lambda session_id: histories.setdefault(session_id, InMemoryChatMessageHistory()),
        input_messages_key="question",
        history_messages_key="chat_history",
    )
