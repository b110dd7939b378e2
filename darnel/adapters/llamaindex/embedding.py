"""The index's own embed model as darnel's embedder."""

from __future__ import annotations

from typing import Any

from darnel.embedders.base import CachedEmbedder


def index_embedder(documents: Any, queries: Any) -> CachedEmbedder:
    """An embedder from the embed model that filled the index and the one that its retriever asks with."""
    texts, questions = _without_cache(documents), _without_cache(queries)
    return CachedEmbedder(
        _name(documents),
        texts.get_text_embedding_batch,
        lambda asked: [questions.get_query_embedding(text) for text in asked],
    )


def _without_cache(model: Any) -> Any:
    """The model without the store in which it keeps embeddings, where planted texts would stay behind."""
    if getattr(model, "embeddings_cache", None) is None:
        return model
    return model.model_copy(update={"embeddings_cache": None})


def _name(model: Any) -> str:
    kind, name = type(model).__name__, getattr(model, "model_name", "unknown")
    return kind if name in {"unknown", "", None} else f"{kind} {name}"
