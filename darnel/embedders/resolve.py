"""From a spec string or an object of the application's to an ``Embedder``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from darnel.core.errors import EmbedderError, describe_error
from darnel.core.importing import import_attr
from darnel.embedders.base import CachedEmbedder, Embedder

BUILT_IN = ("wordllama",)
EXAMPLE = f"myapp.rag:embeddings, or one of: {', '.join(BUILT_IN)}"


def resolve_embedder(given: object) -> Embedder:
    """An embedder from what a user gives.

    Recognised, in this order: an ``Embedder``; ``"wordllama"``; ``"module:attr"`` (imported with the current folder on
    the path; a class or a function without parameters is called for the object); LangChain ``Embeddings``; a LlamaIndex
    embedding; a Chroma embedding function; any callable from a list of texts to vectors.

    Raises:
        UsageError: the spec names nothing that can be imported.
        EmbedderError: the object is none of these.
    """
    if isinstance(given, str):
        if given in BUILT_IN:
            from darnel.embedders.wordllama import load_wordllama

            return load_wordllama()
        return wrap(import_attr(given, "--embedder", EXAMPLE), given)
    return wrap(given, type(given).__name__)


def wrap(given: Any, name: str) -> Embedder:
    """Wrap an application's embedding object by what it can do, importing nothing."""
    if inspect.isclass(given) or (inspect.isfunction(given) and not inspect.signature(given).parameters):
        try:
            given = given()
        except Exception as error:  # somebody else's model
            raise EmbedderError(f"the embedder {name} could not be made: {describe_error(error)}") from error
    if isinstance(given, Embedder):
        return given
    if hasattr(given, "embed_documents") and hasattr(given, "embed_query"):  # LangChain Embeddings
        return CachedEmbedder(name, given.embed_documents, _one_by_one(given.embed_query))
    if hasattr(given, "get_text_embedding_batch") and hasattr(given, "get_query_embedding"):  # LlamaIndex BaseEmbedding
        return CachedEmbedder(name, given.get_text_embedding_batch, _one_by_one(given.get_query_embedding))
    if callable(given) and _takes_input(given):  # Chroma EmbeddingFunction, which checks the name of its parameter
        queries = getattr(given, "embed_query", None)
        return CachedEmbedder(name, lambda t: given(input=t), (lambda t: queries(input=t)) if queries else None)
    if callable(given):
        return CachedEmbedder(name, given)
    raise EmbedderError(
        f"{name} is no embedder; give a LangChain, LlamaIndex or Chroma one, or a function from a list of texts to vectors"
    )


def _one_by_one(function: Callable[[str], object]) -> Callable[[list[str]], list[object]]:
    return lambda texts: [function(text) for text in texts]


def _takes_input(given: Any) -> bool:
    try:
        return "input" in inspect.signature(given).parameters
    except (TypeError, ValueError):
        return False
