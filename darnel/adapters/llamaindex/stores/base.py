"""What darnel needs of a LlamaIndex vector store beyond LlamaIndex's own interface, which cannot read back exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from darnel.adapters.llamaindex.nodes import StoredNode


@dataclass(frozen=True, slots=True)
class Place:
    """Where a vector store keeps its nodes, as ``CorpusDescription`` has it.

    ``exact``: its search compares every record.
    """

    container: str
    identity: str
    size: int
    dimension: int | None
    metric: str | None
    exact: bool = False
    volatile: bool = False
    max_batch: int = 1_000
    max_batch_bytes: int = 8_000_000
    versions: Mapping[str, str] = field(default_factory=dict)


class NativeStore(Protocol):
    """Reads and deletes behind a LlamaIndex vector store, through the client it holds."""

    honours_node_ids: bool
    """Whether a query limited to node ids is: a retriever that pinned its ids is then a snapshot."""
    honours_doc_ids: bool
    """Whether a query limited to document ids is."""

    @property
    def folder(self) -> str:
        """The path on this machine that holds it; empty where none does."""
        ...

    @property
    def host(self) -> str:
        """The server that it writes to; empty for this machine."""
        ...

    def place(self) -> Place:
        """Where it is. Raises what ``refuse_unwritable`` does."""
        ...

    def refuse_unwritable(self) -> None:
        """Look, cheaply, whether it can be written to. Raises TargetError where writing would create something, or fail."""
        ...

    def refuse(self, nodes: Sequence[Any]) -> None:
        """Refuse nodes that the store could not keep. Raises PlantError before any write."""
        ...

    def ids(self) -> list[str]:
        """Every node id."""
        ...

    def sample(self, count: int) -> list[StoredNode]:
        """Some nodes of any kind, vectors left out."""
        ...

    def fetch(self, ids: Sequence[str], *, vectors: bool = False) -> dict[str, StoredNode]:
        """What is stored now; absent ids are absent."""
        ...

    def plants(self) -> set[str]:
        """Ids of every node that carries the kit's metadata key."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Delete by id; the ids are known to be plants' or absent, and never none."""
        ...

    def score(self, similarity: float | None) -> float | None:
        """A score of the store's, so that higher is better and equal scores mean equal distance."""
        ...

    def exact_scores(self, asked: Any, planted: Any) -> Sequence[float] | None:
        """What an exact search would score, from vectors: one row of each a pair; None where it cannot be told."""
        ...

    def dense(self, vector: Any) -> Any:
        """Of a node's stored vectors, the one that the application searches by."""
        ...
