"""A LlamaIndex index, or a vector store that keeps text, as injector, reader and retriever.

LlamaIndex's own ways that this works around: an insert may keep the old text, a delete without ids empties the store,
deleting by document takes every node without one, and the docstore keeps entries that no deletion reaches. So: own
nodes out before they are written again, by id only and only after reading our stamp, and the docstore and index struct
put in order by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Protocol

from darnel.adapters.llamaindex.bookkeeping import Bookkeeping
from darnel.adapters.llamaindex.filters import fit, passing
from darnel.adapters.llamaindex.nodes import DEFAULT_STYLE, StoredNode, common_style, plant_node
from darnel.adapters.llamaindex.stores import NativeStore
from darnel.core.corpus import Capabilities, CorpusDescription, Record, Reply, Source
from darnel.core.errors import EmbedderError, EmptyCorpusError, TargetError, describe_error
from darnel.core.plant import Plant, read_stamp
from darnel.core.planting.batches import batches, chunks
from darnel.core.planting.guard import refuse_foreign
from darnel.core.planting.shape import learn_shape
from darnel.embedders.base import Embedder, needed
from darnel.embedders.check import check_dimension

SHAPE_SAMPLE = 32


class Asker(Protocol):
    """Answers one question."""

    @property
    def by_distance(self) -> bool:
        """Whether a longer list only adds to a shorter one."""
        ...

    def ask(self, text: str, vector: Sequence[float], k: int) -> list[Source]:
        """Up to ``k`` sources, best first."""
        ...


class LlamaIndexCorpus:
    """The nodes behind an index or a vector store.

    Args:
        vector_store: LlamaIndex's store object, through which nodes are written.
        store: the native reader behind it.
        asker: who answers questions.
        embedder: the application's; needed to plant and to ask, not to read or remove.
        index: the index, where its docstore keeps the nodes; nodes are then written through it.
        books: that docstore.
        filters: the retriever's ``MetadataFilters``, which a plant has to pass.
    """

    def __init__(
        self,
        vector_store: Any,
        store: NativeStore,
        asker: Asker,
        embedder: Embedder | None,
        *,
        index: Any = None,
        books: Bookkeeping | None = None,
        filters: Any = None,
    ) -> None:
        self.vector_store, self.store, self.asker, self.embedder = vector_store, store, asker, embedder
        self._index, self._books, self.filters = index, books, filters
        self._described: CorpusDescription | None = None
        self._style = DEFAULT_STYLE

    def describe(self) -> CorpusDescription:
        """See ``CorpusInjector.describe``."""
        place = self.store.place()
        sample = self._sample()
        foreign = [n.id for n in sample if n.style is None]
        if foreign:
            raise TargetError(
                f"{place.container} holds records that LlamaIndex did not write (for instance {foreign[0]}); a node among "
                "them could break the application that reads them: test it through that application's own framework"
            )
        self._style = common_style(sample)
        self._described = CorpusDescription(
            backend="llamaindex",
            container=place.container,
            identity=place.identity,
            size=place.size,
            dimension=place.dimension,
            metric=place.metric,
            embedder=self.embedder.name if self.embedder else None,
            shape=fit(learn_shape([n.record() for n in passing(self.filters, sample)]), self.filters),
            capabilities=Capabilities(
                scan=True,
                vectors=True,
                search=self.asker.by_distance,
                exact=place.exact and self.asker.by_distance,
                volatile=place.volatile,
            ),
            versions={"llama-index-core": version("llama-index-core"), **place.versions},
            max_batch=place.max_batch,
            max_batch_bytes=place.max_batch_bytes,
        )
        return self._described

    def inject(self, plants: Sequence[Plant]) -> None:
        """See ``CorpusInjector.inject``."""
        if not plants:
            return
        where = self._described or self.describe()
        if not where.shape.sampled:
            raise EmptyCorpusError(f"{where.container} has no node of its own to imitate; fill it first")
        self.store.refuse_unwritable()  # a store that has lost its collection would make a new one on writing
        planned = list(batches(plants, where))
        nodes = [plant_node(plant, self._style) for plant in plants]
        self.store.refuse(nodes)
        self._embed(nodes, plants, where.dimension)
        found = self.read([p.id for p in plants])
        refuse_foreign(found, plants[0].campaign)
        if self._books:
            self._books.refuse_foreign_sources(plants)
        self.remove(list(found))  # some stores keep the old text under an id that is written again
        ready = iter(nodes)
        for batch in planned:
            self._write([next(ready) for _plant in batch])

    def remove(self, ids: Sequence[str]) -> None:
        """See ``CorpusInjector.remove``; what is read back without our stamp is not ours."""
        foreign = {id_ for id_, record in self.read(ids).items() if read_stamp(record.metadata) is None}
        ours = [id_ for id_ in dict.fromkeys(ids) if id_ not in foreign]
        if ours:
            self._erase(ours)

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``; a node of which only the docstore has an entry left counts as there."""
        return {id_: node.record() for id_, node in self.nodes(ids).items()}

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``VectorReader.read_vectors``."""
        return {id_: node.record() for id_, node in self.nodes(ids, vectors=True).items()}

    def nodes(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredNode]:
        """What is stored under these ids, as LlamaIndex's nodes."""
        found = self.store.fetch(ids, vectors=vectors) if ids else {}
        if self._books:
            found |= self._books.traces(id_ for id_ in ids if id_ not in found)
        return found

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``."""
        for chunk in chunks(self.ids(), batch):
            yield [node.record() for node in self.store.fetch(chunk, vectors=vectors).values()]

    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""
        return self.store.ids()

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        known = self.store.plants() | (self._books.plants() if self._books else set())
        return [record for record in self.read(sorted(known)).values() if read_stamp(record.metadata) is not None]

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """See ``Retriever.retrieve``.

        Raises:
            EmbedderError: there is no embedder.
            TargetError: no question could be answered; a single one that fails says so in its reply.
        """
        if self.embedder is None:
            raise EmbedderError("asking needs the application's embedder; give it with --embedder")
        vectors = self.embedder.queries(queries)
        replies = [self._reply(text, vector.tolist(), k) for text, vector in zip(queries, vectors, strict=True)]
        if replies and all(reply.error for reply in replies):
            raise TargetError(f"the index does not answer: {replies[0].error}")
        return replies

    def query_vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See ``VectorWriter.query_vectors``."""
        return list(needed(self.embedder).queries(texts))

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """See ``ExactScorer.exact_scores``; of a search by distance, from the vectors that the plants were given."""
        if self.embedder is None or not self.asker.by_distance:
            return None
        where = self._described or self.describe()
        nodes = [plant_node(plant, self._style) for plant in plants]
        self._embed(nodes, plants, where.dimension)
        return self.store.exact_scores(self.embedder.queries(queries), [node.embedding for node in nodes])

    def _reply(self, text: str, vector: list[float], k: int) -> Reply:
        try:
            return Reply(tuple(self.asker.ask(text, vector, k)))
        except Exception as error:  # the application's retriever, or its store
            return Reply(error=describe_error(error))

    def _sample(self) -> list[StoredNode]:
        """Nodes of the owner's, however many plants there are."""
        sample = self.store.sample(SHAPE_SAMPLE)
        if any(read_stamp(n.metadata) for n in sample):
            sample = self.store.sample(SHAPE_SAMPLE + len(self.store.plants()))
        return [n for n in sample if read_stamp(n.metadata) is None][:SHAPE_SAMPLE]

    def _embed(self, nodes: Sequence[Any], plants: Sequence[Plant], dimension: int | None) -> None:
        """Give each node its vector: the plant's own, else the embedding of the text that the index would embed."""
        from llama_index.core.schema import MetadataMode

        for node, plant in zip(nodes, plants, strict=True):
            if plant.vector is not None:
                node.embedding = [float(x) for x in plant.vector]
                _check_vector(plant, node.embedding, dimension)
        bare = [node for node in nodes if node.embedding is None]
        if not bare:
            return
        if self.embedder is None:
            raise EmbedderError("planting needs the application's embedder; give it with --embedder")
        check_dimension(self.embedder, dimension)
        made = self.embedder.documents([node.get_content(MetadataMode.EMBED) for node in bare])
        for node, vector in zip(bare, made, strict=True):
            node.embedding = vector.tolist()

    def _write(self, nodes: Sequence[Any]) -> None:
        if self._index is None or self._books is None:
            self.vector_store.add(list(nodes))
            return
        try:
            self._index.insert_nodes(list(nodes))
        except BaseException:
            # a vector without its entry in the docstore has no text, and could not be recognised later
            self._erase([node.node_id for node in nodes])
            raise

    def _erase(self, ids: Sequence[str]) -> None:
        self.store.delete(ids)
        if self._books:
            self._books.forget(ids)


class EmbeddedTexts:
    """The corpus with, for text, what LlamaIndex embeds of a node, to compare with its stored vector."""

    def __init__(self, corpus: LlamaIndexCorpus) -> None:
        self._corpus = corpus
        self.describe, self.inject, self.remove = corpus.describe, corpus.inject, corpus.remove

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """See ``CorpusInjector.read``."""
        dense = self._corpus.store.dense
        return {
            id_: Record(id_, node.embedded_text() if node.text else None, node.metadata, dense(node.vector))
            for id_, node in self._corpus.nodes(ids, vectors=True).items()
        }


def _check_vector(plant: Plant, vector: Sequence[float], dimension: int | None) -> None:
    import math

    if dimension is not None and len(vector) != dimension:
        raise EmbedderError(
            f"plant {plant.name} has a vector of {len(vector)} and the corpus holds {dimension} dimensions"
        )
    if not all(map(math.isfinite, vector)):
        raise EmbedderError(f"plant {plant.name} has NaN or infinite components in its vector")
