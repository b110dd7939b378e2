"""An asynchronous function with postprocessors of its own, one of them asynchronous."""

from typing import Any

from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from tests.apps.llamaindex.zoo.parts import QuotingLLM, index


class FirstTwo(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[:2]


class LastTwo(BaseNodePostprocessor):
    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[-2:]

    async def _apostprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return nodes[-2:]


def make() -> Any:
    engine = index().as_query_engine(llm=QuotingLLM(), similarity_top_k=4, node_postprocessors=[LastTwo(), FirstTwo()])

    async def answer(question: str) -> str:
        return str(await engine.aquery(question))

    return answer
