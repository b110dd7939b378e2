"""Small chunks are searched, whole documents delivered, from a docstore beside the vector store."""

from typing import Any

from langchain_classic.retrievers import ParentDocumentRetriever
from langchain_classic.storage import InMemoryStore
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import CharacterTextSplitter

from tests.apps.langchain.zoo import parts


def make() -> Any:
    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(parts.HashedEmbeddings()),
        docstore=InMemoryStore(),
        child_splitter=CharacterTextSplitter(separator=". ", chunk_size=60, chunk_overlap=0),
        search_kwargs={"k": 6},
    )
    retriever.add_documents(parts.documents())
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
