"""Sparse encoders of every make, asked in one way.

Accepted: an object with ``embed_documents`` and ``embed_query`` (LangChain's ``SparseEmbeddings``); one with ``embed``
and ``query_embed`` (fastembed's); a callable from a list of texts to ``(indices, values)``, two lists of lists
(LlamaIndex's), or to one item a text, each with ``indices`` and ``values`` or a pair of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from darnel.core.errors import EmbedderError, describe_error

Encode = Callable[[list[str]], Any]


@dataclass(frozen=True, slots=True)
class SparseEncoder:
    """Two functions from texts to sparse vectors; both give qdrant-client's ``SparseVector``, one a text."""

    name: str
    _documents: Encode
    _queries: Encode

    def documents(self, texts: Sequence[str]) -> list[Any]:
        """Vectors of documents. Raises EmbedderError where the encoder fails or gives anything else."""
        return self._run(self._documents, list(texts))

    def queries(self, texts: Sequence[str]) -> list[Any]:
        """The same for queries."""
        return self._run(self._queries, list(texts))

    def _run(self, encode: Encode, texts: list[str]) -> list[Any]:
        try:
            rows = _rows(encode(texts))
        except Exception as error:  # somebody else's model
            raise EmbedderError(f"the sparse encoder {self.name} failed: {describe_error(error)}") from error
        if len(rows) != len(texts) or any(len(r.indices) != len(r.values) for r in rows):
            raise EmbedderError(
                f"the sparse encoder {self.name} must give as many indices as values, and one vector a text"
            )
        return rows


def resolve_sparse(given: Any, names: Sequence[str]) -> dict[str, SparseEncoder]:
    """An encoder for each sparse vector name that one was given for.

    Raises:
        UsageError: ``module:attr`` cannot be imported.
        EmbedderError: an object is no sparse encoder.
    """
    if isinstance(given, str):
        from darnel.core.importing import import_attr

        given = import_attr(given, "sparse=", "myapp.rag:sparse")
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {name: _wrap(encoder) for name, encoder in given.items()}
    return {names[0]: _wrap(given)} if len(names) == 1 else {}


def _wrap(given: Any) -> SparseEncoder:
    name = getattr(given, "__name__", type(given).__name__)
    if hasattr(given, "embed_documents") and hasattr(given, "embed_query"):
        return SparseEncoder(name, given.embed_documents, lambda texts: [given.embed_query(t) for t in texts])
    if hasattr(given, "embed") and hasattr(given, "query_embed"):
        return SparseEncoder(name, given.embed, given.query_embed)
    if callable(given):
        return SparseEncoder(name, given, given)
    raise EmbedderError(f"{name} is no sparse encoder; give a function from a list of texts to indices and values")


def _rows(found: Any) -> list[Any]:
    if isinstance(found, tuple) and len(found) == 2:
        found = zip(*found, strict=True)
    return [_row(item) for item in found]


def _row(item: Any) -> Any:
    from qdrant_client.models import SparseVector

    pair: Iterable[Any] = (item.indices, item.values) if hasattr(item, "indices") else item
    if isinstance(item, Mapping):
        pair = (item["indices"], item["values"])
    indices, values = pair
    return SparseVector(indices=[int(i) for i in indices], values=[float(v) for v in values])
