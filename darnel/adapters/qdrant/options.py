"""What can be said about a Qdrant collection that its own configuration and points do not tell."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from darnel.adapters.spec import TargetSpec
from darnel.core.errors import UnknownNameError, UsageError

SEARCHES = ("dense", "sparse", "hybrid")
API_KEY_VARIABLE = "DARNEL_QDRANT_API_KEY"
NO_SPARSE = "none"
CLIENT_PARAMETERS = ("grpc", "grpc_port", "timeout")


@dataclass(frozen=True, slots=True)
class QdrantOptions:
    """How the application uses its collection, where that cannot be learned.

    ``vector``: the dense vector it searches, where there are several. ``text`` and ``metadata``: payload keys of a
    layout of its own; without ``metadata`` everything but the text is metadata. ``shape``: langchain, llamaindex or
    haystack, where the points are mixed. ``shard``: the shard key, under custom sharding. ``search``: dense, sparse or
    hybrid (reciprocal rank fusion of both); all vectors that the points carry by default. ``sparse``: the encoder of
    sparse vectors (see ``sparse.py``), or ``module:attr``; a mapping where several are in use; ``none`` to plant without,
    invisible to a sparse search. ``query_filter``: a Qdrant ``Filter`` that the application's queries carry.
    """

    vector: str | None = None
    text: str | None = None
    metadata: str | None = None
    shape: str | None = None
    shard: str | None = None
    search: str | None = None
    sparse: Any = None
    query_filter: Any = None

    def __post_init__(self) -> None:
        if self.search is not None and self.search not in SEARCHES:
            raise UnknownNameError("search", self.search, SEARCHES)
        if self.metadata is not None and self.text is None:
            raise UsageError("name the payload key of the text too: ?text=KEY&metadata=KEY")
        if self.text is not None and self.text == self.metadata:
            raise UsageError("text and metadata must be two payload keys")

    @property
    def parameters(self) -> dict[str, str]:
        """Those that a spec can hold, as its parameters."""
        return {f.name: v for f in fields(self) if isinstance(v := getattr(self, f.name), str)}


PARAMETERS = (*(f.name for f in fields(QdrantOptions) if f.name != "query_filter"), *CLIENT_PARAMETERS)


def parse_options(spec: TargetSpec) -> QdrantOptions:
    """Options from a spec's parameters.

    Raises:
        UnknownNameError: a parameter that nobody knows.
        UsageError: an API key in the spec, where shells and ledgers would keep it.
    """
    if "api_key" in spec.parameters:
        raise UsageError(f"keep the API key out of the target: put it in ${API_KEY_VARIABLE}")
    spec.check_parameters(PARAMETERS)
    return QdrantOptions(**{k: v for k, v in spec.parameters.items() if k not in CLIENT_PARAMETERS})
