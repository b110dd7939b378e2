"""A class of its own that calls the store itself, past every callback."""

from typing import Any

from langchain_core.documents import Document

from tests.apps.langchain.zoo import parts


class Assistant:
    def __init__(self) -> None:
        self.store = parts.in_memory()
        self.model = parts.quotes()

    def ask(self, question: str) -> dict[str, Any]:
        found: list[Document] = self.store.similarity_search(question, k=4)
        reply = self.model.invoke(parts.PROMPT.format_messages(context=parts.joined(found), question=question))
        return {"answer": reply.content, "sources": [d.page_content for d in found]}


def make() -> Any:
    return Assistant().ask
