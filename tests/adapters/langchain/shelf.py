"""A small vector store of an application's own, and relatives of it that each break one thing."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore

from tests.adapters.langchain.words import make_documents


class Shelf(VectorStore):
    """Keeps ids, shows documents by id, deletes by id; nothing more can be asked of it."""

    def __init__(self, embeddings: Embeddings) -> None:
        self.rows: dict[str, tuple[Document, list[float]]] = {}
        self.deletes: list[Any] = []
        self._embeddings = embeddings
        self.add_documents(make_documents())

    @property
    def embeddings(self) -> Embeddings:
        return self._embeddings

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **_kwargs: Any,
    ) -> list[str]:
        kept, held = list(texts), self.names(ids, metadatas)
        vectors = self._embeddings.embed_documents(kept)
        for id_, text, metadata, vector in zip(held, kept, metadatas or [], vectors, strict=True):
            self.rows[id_] = (Document(id=id_, page_content=text, metadata=self.kept(metadata)), vector)
        return held

    def names(self, ids: list[str] | None, metadatas: list[dict[str, Any]] | None) -> list[str]:
        return list(ids or [str(uuid.uuid4()) for _ in metadatas or []])

    def kept(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return metadata

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [self.rows[i][0] for i in reversed(ids) if i in self.rows]  # in no order worth the name

    def delete(self, ids: list[str] | None = None, **_kwargs: Any) -> bool | None:
        self.deletes.append(ids)
        for id_ in ids or list(self.rows):  # like some: nothing named is everything
            self.rows.pop(id_, None)
        return True

    def similarity_search(self, query: str, k: int = 4, **_kwargs: Any) -> list[Document]:
        asked = np.asarray(self._embeddings.embed_query(query))
        ranked = sorted(self.rows.values(), key=lambda row: -float(np.asarray(row[1]) @ asked))
        return [document.model_copy(deep=True) for document, _ in ranked[:k]]

    @classmethod
    def from_texts(cls, texts: list[str], embedding: Embeddings, *_args: Any, **_kwargs: Any) -> Shelf:
        raise NotImplementedError


class MintsIds(Shelf):
    """Takes ids and files under others."""

    def names(self, ids: list[str] | None, metadatas: list[dict[str, Any]] | None) -> list[str]:
        return [str(uuid.uuid4()) for _ in metadatas or []]


class MintsIdsInSecret(MintsIds):
    """And says that it filed under those it was given."""

    def add_texts(self, texts: Iterable[str], metadatas: Any = None, *, ids: Any = None, **kwargs: Any) -> list[str]:
        super().add_texts(texts, metadatas, ids=ids, **kwargs)
        return list(ids or [])


class MintsIdsAndKeepsThem(MintsIds):
    """And cannot delete by them either."""

    def delete(self, ids: list[str] | None = None, **_kwargs: Any) -> bool | None:
        return True


class SwallowsIds(Shelf):
    """``add_texts`` names no ids."""

    def add_texts(self, texts: Iterable[str], metadatas: Any = None, **_kwargs: Any) -> list[str]:  # type: ignore[override]
        return super().add_texts(texts, metadatas)


class NeverDeletes(Shelf):
    """Says that it deleted."""

    def delete(self, ids: list[str] | None = None, **_kwargs: Any) -> bool | None:
        return True


class NumbersRecords(Shelf):
    """Adds a key of its own to what it is given."""

    def kept(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return {**metadata, "number": len(self.rows)}


class DropsMetadata(Shelf):
    """Keeps the keys it knows."""

    def kept(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in metadata.items() if k in ("source", "tenant")}


class CannotDelete(Shelf):
    delete = VectorStore.delete  # type: ignore[assignment]


class CannotRead(Shelf):
    get_by_ids = VectorStore.get_by_ids  # type: ignore[assignment]


class AsyncOnly(Shelf):
    """As some of the newer stores are."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise NotImplementedError("use the async method")


class BlankIds(Shelf):
    """Documents come back without their ids, which stand in the metadata."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return [_blank(d) for d in super().get_by_ids(ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [_blank(d) for d in super().similarity_search(query, k, **kwargs)]


def _blank(document: Document) -> Document:
    return Document(page_content=document.page_content, metadata={**document.metadata, "_id": document.id})
