"""Ask a collection as its application does: on the right vectors, with its filter, higher scores better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from darnel.adapters.qdrant.layouts import stamps_in
from darnel.adapters.qdrant.points import dense_vectors
from darnel.adapters.qdrant.setup import Setup
from darnel.adapters.qdrant.vectors import LOWER_IS_BETTER
from darnel.core.corpus import Reply, Source
from darnel.core.errors import EmbedderError
from darnel.core.plant import Plant
from darnel.core.planting.batches import chunks
from darnel.embedders.base import Embedder
from darnel.embedders.check import check_dimension

Ask = Callable[[list[Any]], Sequence[Any]]
"""Sends one batch of requests and returns an answer for each."""


def replies(
    ask: Ask,
    setup: Setup,
    embedder: Embedder | None,
    queries: list[str],
    k: int,
    *,
    only: Any = None,
    payload: list[str] | bool = True,
) -> list[Reply]:
    """One reply a query, with up to ``k`` sources; ``only`` is the filter that the application's queries carry.

    Raises:
        TargetError: the collection cannot be asked as it stands, or the server refuses the search.
        StoreError: the server did not answer.
    """
    setup.require()
    depth = min(k, setup.limits.deepest or k)
    sign = -1.0 if setup.search == "dense" and setup.dense and setup.dense.distance in LOWER_IS_BETTER else 1.0
    found: list[Reply] = []
    for chunk in chunks(queries, setup.limits.searches):
        for answer in ask(_requests(list(chunk), setup, embedder, depth, only, payload)):
            sources = tuple(Source(str(p.id), None, stamps_in(p.payload), sign * p.score) for p in answer.points)
            found.append(Reply(sources, error=_cut(len(sources), depth, k)))
    return found


def exact_scores(
    setup: Setup, embedder: Embedder | None, queries: Sequence[str], plants: Sequence[Plant]
) -> Sequence[float] | None:
    """What an exact search would score each pair of query and plant; None but for a dense search."""
    import numpy as np

    if embedder is None or setup.dense is None or setup.search != "dense":
        return None
    asked = embedder.queries(queries).astype(np.float64)
    planted = np.asarray(dense_vectors(plants, setup, embedder), dtype=np.float64)
    if setup.dense.distance in LOWER_IS_BETTER:
        order = 2 if setup.dense.distance == "Euclid" else 1
        return [-float(x) for x in np.linalg.norm(asked - planted, ord=order, axis=1)]
    dots = (asked * planted).sum(axis=1)
    if setup.dense.distance == "Cosine":
        lengths = np.linalg.norm(asked, axis=1) * np.linalg.norm(planted, axis=1)
        dots = dots / np.where(lengths == 0, 1, lengths)
    return [float(x) for x in dots]


def _requests(
    queries: list[str], setup: Setup, embedder: Embedder | None, depth: int, only: Any, payload: list[str] | bool
) -> list[Any]:
    from qdrant_client import models

    legs = _legs(queries, setup, embedder)
    common = {"limit": depth, "filter": only}
    if len(legs) == 1:
        using, vectors = legs[0]
        return [models.QueryRequest(query=v, using=using, with_payload=payload, **common) for v in vectors]
    return [
        models.QueryRequest(
            prefetch=[models.Prefetch(query=vectors[row], using=using, **common) for using, vectors in legs],
            query=models.FusionQuery(fusion=models.Fusion.RRF),
            limit=depth,
            with_payload=payload,
        )
        for row in range(len(queries))
    ]


def _legs(queries: list[str], setup: Setup, embedder: Embedder | None) -> list[tuple[str | None, Sequence[Any]]]:
    """Vector name and the queries' vectors, for each vector that is searched."""
    legs: list[tuple[str | None, Sequence[Any]]] = []
    if setup.search != "sparse" and setup.dense is not None:
        if embedder is None:
            raise EmbedderError("asking needs the application's embedder; give it with --embedder")
        check_dimension(embedder, setup.dense.size)
        legs.append((setup.using or None, embedder.queries(queries).tolist()))
    if setup.search != "dense":
        legs += [(name, encoder.queries(queries)) for name, encoder in setup.encoders.items()]
    return legs


def _cut(got: int, depth: int, k: int) -> str | None:
    """Why a list is shorter than asked though there may be more, if so."""
    if depth < k and got == depth:
        return f"strict mode gives {depth} results a search at the most, and {k} were asked for"
    return None
