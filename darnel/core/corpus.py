"""The contract: what an adapter implements, and the plain data that crosses it.

``CorpusInjector`` is all an adapter must be. ``CorpusReader`` and ``Retriever`` are further abilities that most stores
have; ``Target`` ties together what is under test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import msgspec

from darnel.core.plant import MetaValue, Plant


@dataclass(frozen=True, slots=True)
class Record:
    """What a store holds under one id. ``vector``: the stored floats, or None where they cannot be read."""

    id: str
    text: str | None
    metadata: Mapping[str, Any] | None = None
    vector: Any = None


class Source(msgspec.Struct, frozen=True, gc=False):  # built by the ten thousand: a struct takes a tenth of the time
    """One item that a retrieval returned. ``score``: higher is better, only comparable within one reply."""

    id: str | None = None
    text: str | None = None
    metadata: Mapping[str, Any] | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one component of an application passed on: a retriever around others, a reranker, a compressor, a filter."""

    name: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model asked for, and with what."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a target answered to one query; a bare store fills only ``sources`` (best first).

    An application also shows what it ``delivered`` towards its model, the ``prompt`` the model was given, the ``answer``,
    and ``steps``: what each component between store and model passed on, in the order they ended. None: not seen.
    ``searched``: the search was seen to take place, so that an empty list is an answer. ``calls``: the tools that the model
    asked for.
    """

    sources: tuple[Source, ...] = ()
    delivered: tuple[Source, ...] | None = None
    prompt: str | None = None
    answer: str | None = None
    error: str | None = None
    steps: tuple[Step, ...] = ()
    searched: bool = False
    calls: tuple[ToolCall, ...] | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a corpus can do beyond the four methods; each false unless the adapter says otherwise."""

    scan: bool = False
    """Every record can be read back, so the corpus digest can be taken."""
    vectors: bool = False
    """Stored vectors can be read, so the embedder can be checked against them."""
    search: bool = False
    """The corpus can be searched directly, cheaply, for any text and any k."""
    exact: bool = False
    """The search compares every record, so what it does not return does not belong in the list."""
    volatile: bool = False
    """The corpus lives in this process only; nothing of it outlives a crash."""


@dataclass(frozen=True, slots=True)
class RecordShape:
    """How the application's own records look, learned from a sample.

    ``template`` holds a value for each metadata key a plant should carry; ``unique`` names the keys whose values must
    be the plant's own (identifiers), because no two sampled records share one.
    """

    sampled: int = 0
    template: Mapping[str, MetaValue] = field(default_factory=dict)
    unique: frozenset[str] = frozenset()
    constant: Mapping[str, MetaValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CorpusDescription:
    """Where plants would go. ``identity`` outlives renames (a collection's UUID rather than its name, if it has one)."""

    backend: str
    container: str
    identity: str
    size: int
    dimension: int | None = None
    metric: str | None = None
    embedder: str | None = None
    shape: RecordShape = field(default_factory=RecordShape)
    capabilities: Capabilities = field(default_factory=Capabilities)
    versions: Mapping[str, str] = field(default_factory=dict)
    max_batch: int = 1_000
    max_batch_bytes: int = 8_000_000
    max_text_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the preflight: what was looked at, how it stands, and how to mend it. ``ok`` None: a warning."""

    name: str
    ok: bool | None
    detail: str
    mend: str = ""


@runtime_checkable
class CorpusInjector(Protocol):
    """Writes plants into one container and takes them out again, by id.

    Must hold: injecting twice equals once; injecting again with other text or metadata leaves exactly the new ones;
    removing absent ids, or none, has no effect; a record the kit did not write is never overwritten or deleted; no
    container, index or setting is created or changed. Methods may raise anything: the campaign reads back and decides.
    """

    def describe(self) -> CorpusDescription:
        """Say where plants would go. Raises TargetError where the container is missing or cannot be read."""
        ...

    def inject(self, plants: Sequence[Plant]) -> None:
        """Write or replace, by id. Raises CollisionError before any write where an id is another record's."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """Delete those of the ids that hold plants; an empty list reaches no store.

        Absent ids are fine and are sent all the same: the write of a plant may lie queued behind this removal.
        """
        ...

    def read(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """What the store holds now, straight from it (no cache); absent ids are absent, vectors may be left out."""
        ...


@runtime_checkable
class VectorReader(Protocol):
    """Optional, for an injector whose ``read`` leaves the vectors out: they are most of a record's bytes, and guarding
    and proving need none.
    """

    def read_vectors(self, ids: Sequence[str]) -> Mapping[str, Record]:
        """The same as ``CorpusInjector.read``, with vectors."""
        ...


@runtime_checkable
class VectorWriter(Protocol):
    """Optional, for an injector that stores a plant under the vector it is given rather than under its text's."""

    def query_vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors that the application would ask these texts with."""
        ...


@runtime_checkable
class CorpusReader(Protocol):
    """Reads the whole corpus: for digests, samples and sweeping without a ledger."""

    def scan(self, batch: int = 1_000, *, vectors: bool = True) -> Iterator[Sequence[Record]]:
        """Every record once, in batches; with ``vectors=False`` the vectors may be left out."""
        ...

    def ids(self) -> Sequence[str]:
        """Every record id."""
        ...

    def plants(self) -> Sequence[Record]:
        """Every record that carries the kit's metadata key, of any campaign."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Answers questions from the corpus."""

    def retrieve(self, queries: Sequence[str], k: int) -> Sequence[Reply]:
        """One reply for each query, in order, each with up to ``k`` sources, best first."""
        ...


@runtime_checkable
class CaptureProof(Protocol):
    """An application whose retrievals are watched from outside, and which can prove that the watching works."""

    def prove_capture(self, known: Sequence[Record]) -> str | None:
        """Ask for records that the corpus holds; returns why what comes back cannot be seen or trusted, else None."""
        ...


@runtime_checkable
class Wrapped(Protocol):
    """A retriever around another one, which it may reorder or leave things out of."""

    @property
    def inner(self) -> Retriever:
        """The one that searches."""
        ...


@runtime_checkable
class TellsReplies(Protocol):
    """A retriever that takes its time with each question."""

    def on_reply(self, tell: Callable[[], None]) -> None:
        """Have ``tell`` called after each question that has its reply, in place of what was called before."""
        ...


@runtime_checkable
class Remarking(Protocol):
    """What came to light about an application while it was asked, for people; each remark becomes a warning."""

    remarks: Sequence[str]


@runtime_checkable
class ExactScorer(Protocol):
    """A retriever over an approximate index that can say what an exact search would have scored."""

    def exact_scores(self, queries: Sequence[str], plants: Sequence[Plant]) -> Sequence[float] | None:
        """For each pair of query and plant, its score on the scale of ``Source.score``; None where it cannot be told."""
        ...


def _no_checks() -> Iterable[Check]:
    return ()


@dataclass(frozen=True, slots=True)
class Target:
    """What is under test: a corpus to plant into, plus something to ask.

    ``spec`` reopens it in another process (secrets left out); empty for objects that only live here. ``store_search``:
    the retriever is the store's own, so any k and any text may be asked at no cost. ``k``: how many sources the
    application reads, where it says so. ``host``: the server that would be written to; empty for this machine. ``app``:
    what is asked, for people, where it is not the store alone. ``exact``: whether the retriever compares every record, where
    that is not the corpus's to say.
    """

    injector: CorpusInjector
    retriever: Retriever | None = None
    reader: CorpusReader | None = None
    spec: str = ""
    store_search: bool = True
    checks: Callable[[], Iterable[Check]] = _no_checks
    close: Callable[[], None] = lambda: None
    k: int | None = None
    host: str = ""
    app: str = ""
    exact: bool | None = None
