"""A retriever of the application's own, around LlamaIndex's."""

from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle

from tests.apps.llamaindex.zoo.parts import index, qdrant


class LongNotesOnly(BaseRetriever):
    def __init__(self, inner: BaseRetriever) -> None:
        self._inner = inner
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [n for n in self._inner.retrieve(query_bundle) if len(n.node.get_content()) > 20]


def make() -> Any:
    return LongNotesOnly(index(qdrant()).as_retriever(similarity_top_k=3))
