"""A LangChain document transformer: documents are looked at before they are embedded, or after they were retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.documents import BaseDocumentTransformer, Document

from darnel.audit.model import Severity
from darnel.audit.screen import Mode, Screen


class AuditTransformer(BaseDocumentTransformer):
    """Flags documents in their metadata (``darnel_severity``, ``darnel_findings``), or drops them; see ``Screen``.

    Goes wherever a transformer goes: before a store is filled, or into a ``DocumentCompressorPipeline`` around a retriever.
    """

    def __init__(
        self,
        detectors: Sequence[str] = (),
        queries: Sequence[str] = (),
        mode: Mode = "flag",
        drop_at: Severity = "high",
    ) -> None:
        self.screen = Screen(detectors, queries, mode, drop_at)

    def transform_documents(self, documents: Sequence[Document], **_: Any) -> Sequence[Document]:
        """The documents that stay, in order; those given are not changed."""
        kept = []
        for document in documents:
            added = self.screen.judged(document.id or "", document.page_content, document.metadata)
            if added is not None:
                kept.append(
                    document.model_copy(update={"metadata": {**document.metadata, **added}}) if added else document
                )
        return kept
