"""Notes and drafts in a store each, asked side by side."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.runnables import RunnableParallel, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from tests.apps.langchain.zoo import parts


def make() -> Any:
    drafts = InMemoryVectorStore(parts.HashedEmbeddings())
    drafts.add_documents([Document(page_content=f"Draft {n} on ferries and their lamps.") for n in range(8)])
    both = RunnableParallel(
        notes=parts.in_memory().as_retriever(search_kwargs={"k": 4}) | parts.joined,
        drafts=drafts.as_retriever(search_kwargs={"k": 2}) | parts.joined,
        question=RunnablePassthrough(),
    )
    return (
        both
        | (lambda f: {"context": f["notes"] + f["drafts"], "question": f["question"]})
        | parts.PROMPT
        | parts.quotes()
    )
