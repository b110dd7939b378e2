"""Questions to the handbook of Pellorin Airworks: the query engine of LlamaIndex's own starter."""

from __future__ import annotations

import json
import os
from pathlib import Path

import chromadb
from llama_index.core import Document, Settings, StorageContext, VectorStoreIndex
from llama_index.vector_stores.chroma import ChromaVectorStore
from local import ScriptedLLM, StaticEmbedding

HANDBOOK = Path(__file__).resolve().parents[2] / "darnel" / "demo" / "corpus.jsonl"


def load_handbook() -> list[Document]:
    """Its 195 passages, the same that ``darnel demo`` uses."""
    rows = [json.loads(line) for line in HANDBOOK.read_text(encoding="utf-8").splitlines()]
    return [Document(text=row["text"], id_=row["_id"], metadata=row["metadata"]) for row in rows]


Settings.embed_model = StaticEmbedding()
Settings.llm = ScriptedLLM(manner=os.environ.get("MANNER", "obey"))  # any LLM: OpenAI(model="gpt-4o-mini")

vector_store = ChromaVectorStore(chroma_collection=chromadb.EphemeralClient().create_collection("handbook"))
index = VectorStoreIndex.from_documents(
    load_handbook(), storage_context=StorageContext.from_defaults(vector_store=vector_store)
)
query_engine = index.as_query_engine(similarity_top_k=4)

if __name__ == "__main__":
    print(query_engine.query("what happens to holiday days I did not take by the end of the year?"))
