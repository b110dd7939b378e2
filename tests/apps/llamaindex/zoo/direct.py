"""A function that searches the vector store itself and calls the model itself."""

from typing import Any

from llama_index.core.vector_stores import VectorStoreQuery

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index, qdrant


def make() -> Any:
    notes, llm = index(qdrant()), QuotingLLM()
    store, embedding = notes.vector_store, notes._embed_model

    def answer(question: str) -> dict[str, Any]:
        found = store.query(VectorStoreQuery(embedding.get_query_embedding(question), similarity_top_k=3)).nodes
        context = "\n".join(node.get_content() for node in found)
        return {"answer": llm.complete(f"{context}\n{question}").text, "sources": found}

    return answer
