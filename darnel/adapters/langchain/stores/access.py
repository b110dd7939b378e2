"""The protocol that ties a store's own ways to the adapter, and what the known stores share."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, Protocol

from darnel.core.corpus import CorpusDescription, Record, RecordShape
from darnel.core.errors import CollisionError
from darnel.core.plant import read_stamp
from darnel.core.planting.batches import chunks
from darnel.core.planting.shape import learn_shape

Vectors = Any
"""float64 of shape (rows, dimension)."""
SHAPE_SAMPLE = 32
READ_CHUNK = 1_000


class StoreAccess(Protocol):
    """Reading and deleting, behind a store's own ``add_documents`` and searches.

    ``host``: the server it writes to; empty for this process or this machine, None where that cannot be told.
    ``score_sign``: 1 where a search's scores grow with similarity, -1 where they are distances, None where unknown.
    ``vector_search``: the store's method that takes a vector and gives documents with those scores, if there is one.
    ``sampling``: settings for a search that is to bring any records that a filter lets pass.
    """

    @property
    def host(self) -> str | None: ...  # noqa: D102  # told in the class's docstring

    @property
    def score_sign(self) -> int | None: ...  # noqa: D102  # told in the class's docstring

    @property
    def vector_search(self) -> str | None: ...  # noqa: D102  # told in the class's docstring

    @property
    def sampling(self) -> Mapping[str, Any]: ...  # noqa: D102  # told in the class's docstring

    @property
    def embeds(self) -> bool:
        """Whether the store has something to embed with."""
        ...

    def turn(self) -> AbstractContextManager[Any]:
        """Held around every call of the store's; where it bears no two at once, darnel's take turns."""
        ...

    def refusal(self) -> str | None:
        """Why nothing must be planted here, in one line that says what to do; None where nothing speaks against it."""
        ...

    def describe(self) -> CorpusDescription:
        """As ``CorpusInjector.describe``, without the embedder."""
        ...

    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """As ``CorpusInjector.read``, with vectors where they are asked for and can be read."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """As ``CorpusInjector.remove``: nothing that is there without the kit's stamp, and never an empty list.

        Absent ids are left out where the store raises for them, or may.
        """
        ...

    def refuse_elsewhere(self, ids: Sequence[str]) -> None:
        """Raise CollisionError where writing an id would reach a record outside of this container."""
        ...

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """As ``ExactScorer.exact_scores``, from vectors: one row of each a pair."""
        ...


class KnownStore(ABC):
    """Base of the stores that can be read whole; a ``StoreAccess`` and a ``CorpusReader``."""

    host: str | None = ""
    score_sign: int | None = 1
    vector_search: str | None = "similarity_search_with_score_by_vector"
    sampling: Mapping[str, Any] = MappingProxyType({})
    sends_absent = True
    """Whether absent ids are deleted too: their write may lie queued behind the removal."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self._shape = RecordShape()

    @property
    def embeds(self) -> bool:
        """See ``StoreAccess.embeds``."""
        return self.store.embeddings is not None

    def turn(self) -> AbstractContextManager[Any]:
        """See ``StoreAccess.turn``."""
        return nullcontext()

    def refusal(self) -> str | None:
        """See ``StoreAccess.refusal``."""
        return None

    @abstractmethod
    def describe(self) -> CorpusDescription:
        """See ``StoreAccess.describe``."""

    @abstractmethod
    def read(self, ids: Sequence[str], *, vectors: bool = False) -> Mapping[str, Record]:
        """See ``StoreAccess.read``."""

    @abstractmethod
    def ids(self) -> Sequence[str]:
        """See ``CorpusReader.ids``."""

    def remove(self, ids: Sequence[str]) -> None:
        """See ``StoreAccess.remove``."""
        for chunk in chunks(list(ids), READ_CHUNK):
            with self.turn():
                held = self.read(chunk)
                own = {id_ for id_, record in held.items() if read_stamp(record.metadata)}
                due = [id_ for id_ in dict.fromkeys(chunk) if id_ in own or (self.sends_absent and id_ not in held)]
                if due:  # an empty list means "everything" to some stores
                    self.delete(due)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete by id, at least one; they are known to be the kit's, or absent where those are sent."""
        self.store.delete(ids=list(ids))

    def refuse_elsewhere(self, ids: Sequence[str]) -> None:  # noqa: B027  # empty on purpose: most stores key ids by container
        """See ``StoreAccess.refuse_elsewhere``."""

    def exact_scores(self, asked: Vectors, planted: Vectors) -> Sequence[float] | None:
        """See ``StoreAccess.exact_scores``; None: plants are looked for by their own text instead."""
        return None

    def scan(self, batch: int = READ_CHUNK, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """See ``CorpusReader.scan``; by id, so that a corpus that changes meanwhile loses no record."""
        for chunk in chunks(self.ids(), batch):
            yield list(self.read(chunk, vectors=vectors).values())

    def plants(self) -> Sequence[Record]:
        """See ``CorpusReader.plants``."""
        return [r for batch in self.scan(vectors=False) for r in batch if read_stamp(r.metadata)]

    def shape(self) -> RecordShape:
        """Learned once, from records spread over the corpus: what was added together is often of one tenant or source."""
        if not self._shape.sampled:
            ids = sorted(self.ids())
            spread = {len(ids) * i // SHAPE_SAMPLE for i in range(SHAPE_SAMPLE)}
            self._shape = learn_shape(list(self.read([ids[i] for i in sorted(spread) if i < len(ids)]).values()))
        return self._shape


def collision(id_: str, where: str) -> CollisionError:
    """The error for an id that a sibling container holds."""
    return CollisionError(
        f"record {id_} is in {where}, and this store would overwrite it there; nothing was written. "
        "Run again: every run draws ids of its own"
    )


def uuid_text(id_: str) -> str | None:
    """An id in the one spelling that stores give UUIDs back in; None where it is none."""
    try:
        return str(uuid.UUID(id_))
    except ValueError:
        return None


def pair_scores(kind: str, asked: Vectors, planted: Vectors) -> list[float]:
    """Similarities of rows, higher is better: ``cosine``, ``dot``, ``euclid`` (negated distances)."""
    import numpy as np

    if kind == "euclid":
        return [float(s) for s in -np.linalg.norm(asked - planted, axis=1)]
    dots = (asked * planted).sum(axis=1)
    lengths = np.linalg.norm(asked, axis=1) * np.linalg.norm(planted, axis=1)
    return [float(s) for s in (dots if kind == "dot" else dots / np.where(lengths == 0, 1, lengths))]


def versions(*packages: str) -> dict[str, str]:
    """Installed versions of langchain-core and the packages named."""
    found = {}
    for package in ("langchain-core", *packages):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
