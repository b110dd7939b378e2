"""Recent documents first."""

from datetime import datetime
from typing import Any

import faiss
from langchain_classic.retrievers import TimeWeightedVectorStoreRetriever
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.vectorstores import FAISS
from langchain_core.runnables import RunnablePassthrough

from tests.apps.langchain.zoo import parts
from tests.support.embedder import DIMENSION


def make() -> Any:
    store = FAISS(parts.HashedEmbeddings(), faiss.IndexFlatL2(DIMENSION), InMemoryDocstore(), {})
    retriever = TimeWeightedVectorStoreRetriever(vectorstore=store, decay_rate=0.01, k=4, search_kwargs={"k": 8})
    retriever.add_documents(parts.documents(), current_time=datetime(2026, 1, 1))
    return {"context": retriever | parts.joined, "question": RunnablePassthrough()} | parts.PROMPT | parts.quotes()
