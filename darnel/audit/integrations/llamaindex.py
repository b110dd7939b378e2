"""For LlamaIndex: a transformation of an ingestion pipeline, and a node postprocessor of a query engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle, TransformComponent

from darnel.audit.model import Severity
from darnel.audit.screen import FINDINGS_KEY, SEVERITY_KEY, Mode, Screen


class AuditTransform(TransformComponent):  # type: ignore[misc]  # the framework is untyped for mypy
    """Flags nodes in their metadata, where neither embedder nor model reads it, or drops them; see ``Screen``."""

    detectors: list[str] = Field(default_factory=list)
    queries: list[str] = Field(default_factory=list)
    mode: Mode = "flag"
    drop_at: Severity = "high"
    _screen: Screen = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Make the detectors."""
        super().model_post_init(context)
        self._screen = Screen(self.detectors, self.queries, self.mode, self.drop_at)

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> list[BaseNode]:
        """The nodes that stay, in order; those given are not changed."""
        return [kept for node in nodes if (kept := _judged(self._screen, node)) is not None]


class AuditPostprocessor(BaseNodePostprocessor):  # type: ignore[misc]  # the framework is untyped for mypy
    """The same on what was retrieved. ``question``: whether a node that holds the question just asked is a finding too."""

    detectors: list[str] = Field(default_factory=list)
    queries: list[str] = Field(default_factory=list)
    mode: Mode = "flag"
    drop_at: Severity = "high"
    question: bool = False
    _screen: Screen = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        """Make the detectors."""
        super().model_post_init(context)
        self._screen = Screen(self.detectors, self.queries, self.mode, self.drop_at)

    @classmethod
    def class_name(cls) -> str:
        """Its name in the framework's traces."""
        return "DarnelAuditPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        asked = query_bundle.query_str if self.question and query_bundle is not None else None
        kept = []
        for held in nodes:
            node = _judged(self._screen, held.node, asked)
            if node is not None:
                kept.append(held if node is held.node else NodeWithScore(node=node, score=held.score))
        return kept


def _judged(screen: Screen, node: BaseNode, question: str | None = None) -> BaseNode | None:
    text = node.get_content(metadata_mode=MetadataMode.NONE)
    added = screen.judged(node.node_id, text, node.metadata, question)
    if not added:
        return None if added is None else node
    hidden = [SEVERITY_KEY, FINDINGS_KEY]
    return node.model_copy(
        update={
            "metadata": {**node.metadata, **added},
            "excluded_embed_metadata_keys": [*node.excluded_embed_metadata_keys, *hidden],
            "excluded_llm_metadata_keys": [*node.excluded_llm_metadata_keys, *hidden],
        }
    )
