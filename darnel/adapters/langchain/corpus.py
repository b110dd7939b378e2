"""A LangChain ``VectorStore`` as injector and retriever.

Writes go through the store's own ``add_documents``, so layout and vectors are the application's; reading and deleting
go through what ``stores`` knows of the store. A plant that is there already is deleted before it is written anew, since
some stores merge, some duplicate, and FAISS breaks.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from darnel.adapters.langchain.asking import Asking, StoreSearch
from darnel.adapters.langchain.probe import Stray, prove_by_writing
from darnel.adapters.langchain.stores.find import find_access, keeps
from darnel.adapters.langchain.stores.plain import sample_documents
from darnel.core.corpus import CorpusDescription, Record, RecordShape, Reply
from darnel.core.errors import EmbedderError, EmptyCorpusError, PlantError, TargetError, blame_target
from darnel.core.plant import Plant, content_digest, read_stamp
from darnel.core.planting.batches import batches
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.shape import learn_shape
from darnel.embedders.base import Embedder
from darnel.embedders.check import check_dimension
from darnel.embedders.resolve import wrap

GIVE_EMBEDDER = "build it with the embeddings that the application uses (a store may choose some of its own otherwise)"
WRITES = ("add_documents", "add_texts", "delete")


class LangChainCorpus:
    """Plants into a vector store, and asks it.

    Args:
        store: a ``VectorStore``; its own embedder is used for everything.
        asking: how the application asks it.
        embedder: the application's, for a store that does not show its own.
        identity: what tells the store from any other where the store itself cannot say; by default this object.
    """

    def __init__(
        self, store: Any, asking: Asking | None = None, embedder: Embedder | None = None, *, identity: str = ""
    ) -> None:
        self.store, self.asking = store, asking or Asking()
        own = store.embeddings
        self.embedder = wrap(own, type(own).__name__) if own is not None else embedder
        self.access, known = find_access(store, identity)
        self.strays: dict[str, Stray] = {}
        self.proved = keeps(store, known, *WRITES)
        self._search = StoreSearch(store, self.access, known, self.embedder if own is not None else None, self.asking)
        self._described: CorpusDescription | None = None
        self._refusal = ""
        self._filtered: RecordShape | None = None

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``.

        Raises:
            TargetError: the store cannot be read, or could not keep, show or give up a plant; says why.
        """
        with blame_target("reading the vector store"):
            if reason := self.access.refusal():
                raise TargetError(reason)
            found = self.access.describe()
        shape = self.filtered_shape() if self.asking.narrowing else None
        self._described = replace(
            found,
            embedder=self.embedder.name if self.embedder else None,
            # a plant that the filter keeps out is beyond the search's reach, which has to be told from "not retrieved"
            capabilities=replace(found.capabilities, exact=found.capabilities.exact and not self.asking.narrowing),
            shape=shape if shape is not None and shape.sampled else found.shape,
        )
        return self._described

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``; what is there already with the same content is not written again."""
        if not plants:
            return
        where = self._described if self._described is not None and self._described.size else self.describe()
        self._refuse_unfit(plants, where)
        found = self.read([p.id for p in plants])
        refuse_foreign(found, plants[0].campaign)
        self.access.refuse_elsewhere([p.id for p in plants])
        fresh = [p for p in plants if not _holds(found.get(p.id), p)]
        self.remove([p.id for p in fresh if p.id in found])
        if fresh and not self.proved:
            self._prove(fresh[0])
        for batch in batches(fresh, where):
            self.write(batch)

    def write(self, plants: Sequence[Plant]) -> list[str]:
        """Hand plants to the store's ``add_documents``; returns the ids it says it used."""
        from langchain_core.documents import Document

        # some stores keep the very dictionary they are given
        documents = [Document(id=p.id, page_content=p.text, metadata=copy.deepcopy(dict(p.metadata))) for p in plants]
        with self.access.turn():
            returned = self.store.add_documents(documents, ids=[p.id for p in plants])
        return [str(id_) for id_ in returned or ()]

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``."""
        for id_ in ids:
            stray = self.strays.get(id_)
            if stray is not None and stray.id is not None and stray.read(self.store, self.access) is not None:
                self.store.delete(ids=[stray.id])
        rest = [id_ for id_ in ids if id_ not in self.strays]
        if rest:
            self.access.remove(rest)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``; without vectors."""
        return self._read(ids, vectors=False)

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``VectorReader.read_vectors``."""
        return self._read(ids, vectors=True)

    def _read(self, ids: Sequence[str], *, vectors: bool) -> dict[str, Record]:
        rest = [id_ for id_ in ids if id_ not in self.strays]
        found = dict(self.access.read(rest, vectors=vectors)) if rest else {}
        for id_ in ids:
            if id_ in self.strays and (record := self.strays[id_].read(self.store, self.access)) is not None:
                found[id_] = replace(record, id=id_)
        return found

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``."""
        return self._search.retrieve(queries, k)

    def filtered_shape(self) -> RecordShape | None:
        """The shape of records that the application's filter lets pass, so that it lets plants pass too.

        ``sampled`` is 0 where it lets none pass; None where the store cannot be asked now.
        """
        if self._filtered is None:
            how = {**self.access.sampling, **self.asking.narrowing}
            try:
                self._filtered = learn_shape(sample_documents(self.store.similarity_search, how))
            except Exception:  # asking fails again, and says so, once questions are asked; a sweep asks none
                return None
        return self._filtered

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """See ``ExactScorer.exact_scores``; of the plain search only, and of stores whose scores are known."""
        if self.embedder is None or self.asking.kind != "similarity" or not self._search.scored:
            return None
        asked, planted = self.embedder.queries(queries), self.embedder.documents([p.text for p in plants])
        return self.access.exact_scores(asked.astype(float), planted.astype(float))

    def _prove(self, plant: Plant) -> None:
        if self._refusal:
            raise TargetError(self._refusal)
        try:
            prove_by_writing(self, plant)
        except TargetError as error:  # once is enough
            self._refusal = str(error)
            raise
        self.proved = True

    def _refuse_unfit(self, plants: Sequence[Plant], where: CorpusDescription) -> None:
        if any(p.vector is not None for p in plants):
            raise PlantError("a LangChain store embeds what it is given; craft plants without vectors of their own")
        if not where.size:
            raise EmptyCorpusError(f"'{where.container}' is empty: fill it first, or plants compete with nothing")
        if not self.access.embeds:
            raise EmbedderError(f"{type(self.store).__name__} has no embedder; {GIVE_EMBEDDER}")
        if self.embedder is not None:
            check_dimension(self.embedder, where.dimension)
            # some stores drop what a broken embedder leaves short, or store what is no number
            self.embedder.documents([p.text for p in plants])


def _holds(record: Record | None, plant: Plant) -> bool:
    """Whether a record is the plant already, to the last key."""
    if record is None or content_digest(record.text, record.metadata) != plant.digest:
        return False
    stamp = read_stamp(record.metadata)
    return stamp is not None and (stamp.campaign, stamp.marker) == (plant.campaign, plant.marker)
