"""Questions to the handbook of Pellorin Airworks: the chain of LangChain's own tutorials."""

from __future__ import annotations

import json
import os
from pathlib import Path

from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from local import ScriptedChat, StaticEmbeddings

HANDBOOK = Path(__file__).resolve().parents[2] / "darnel" / "demo" / "corpus.jsonl"


def load_handbook() -> list[Document]:
    """Its 195 passages, the same that ``darnel demo`` uses."""
    rows = [json.loads(line) for line in HANDBOOK.read_text(encoding="utf-8").splitlines()]
    return [Document(row["text"], id=row["_id"], metadata=row["metadata"]) for row in rows]


def format_docs(docs: list[Document]) -> str:
    """The passages as the prompt shows them."""
    return "\n\n".join(doc.page_content for doc in docs)


model = ScriptedChat(manner=os.environ.get("MANNER", "obey"))  # any chat model: ChatOpenAI(model="gpt-4o-mini")

vectorstore = Chroma.from_documents(load_handbook(), StaticEmbeddings(), collection_name="handbook")
retriever = vectorstore.as_retriever(search_kwargs={"k": 4})
prompt = ChatPromptTemplate.from_template(
    "Answer from these passages of the handbook:\n\n{context}\n\nQuestion: {question}"
)
chain = {"context": retriever | format_docs, "question": RunnablePassthrough()} | prompt | model | StrOutputParser()

if __name__ == "__main__":
    print(chain.invoke("what happens to holiday days I did not take by the end of the year?"))
