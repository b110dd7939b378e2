"""What a collection's configuration and a sample of its points say about planting into it and asking it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from darnel.adapters.qdrant.detect import choose_layout, given_layout
from darnel.adapters.qdrant.layouts import Layout, stamps_in
from darnel.adapters.qdrant.options import NO_SPARSE, QdrantOptions
from darnel.adapters.qdrant.sparse import SparseEncoder, resolve_sparse
from darnel.adapters.qdrant.vectors import DenseVector, VectorLayout, choose_dense, read_layout, sparse_in_use
from darnel.core.corpus import Check, Record, RecordShape
from darnel.core.errors import DarnelError, TargetError, describe_error
from darnel.core.planting.shape import learn_shape

PAGE = 500
"""Points read at once, with payload and vectors."""
MAX_BATCH = 500
SEARCHES = 64
MOST_OBJECTS = 8
"""Conditions of one filter, and so strict mode's business."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Points and searches a request; ``deepest``: results a search may give, None where nothing limits it."""

    page: int = PAGE
    batch: int = MAX_BATCH
    searches: int = SEARCHES
    deepest: int | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything learned; ``checks`` are preflight lines, and one with ``ok`` False forbids planting and asking.

    ``objects``: payload keys under which metadata, and so a plant's stamp, may lie.
    """

    vectors: VectorLayout
    using: str | None
    encoders: dict[str, SparseEncoder]
    layout: Layout | None
    objects: tuple[str, ...]
    shape: RecordShape
    limits: Limits
    search: str
    checks: tuple[Check, ...]

    @property
    def dense(self) -> DenseVector | None:
        """The dense vector in use."""
        return None if self.using is None else self.vectors.dense[self.using]

    def require(self) -> Layout:
        """The layout, once nothing forbids planting and asking.

        Raises:
            TargetError: the first thing that forbids it, and its mend.
        """
        for check in self.checks:
            if check.ok is False:
                raise TargetError(f"{check.name}: {check.detail}. {check.mend}".strip())
        assert self.layout is not None
        return self.layout


def learn_setup(info: Any, sample: Sequence[Any], options: QdrantOptions) -> Setup:
    """Learn from ``CollectionInfo`` and sampled points (payload and vectors).

    Raises:
        UsageError: an option names what does not exist.
    """
    own = [p for p in sample if not stamps_in(p.payload)]
    vectors, given = read_layout(info.config.params), given_layout(options)
    using, vector_check = choose_dense(vectors, options)
    layout, layout_check = choose_layout([p.payload or {} for p in own], given)
    needed = sparse_in_use(vectors, [p.vector for p in own])
    encoders, sparse_check = _encoders(needed, options)
    search, search_check = _search(using, encoders, options)
    checks = [vector_check, layout_check, sparse_check, search_check, *_server_checks(info, options)]
    return Setup(
        vectors=vectors,
        using=using,
        encoders=encoders,
        layout=layout,
        objects=_objects(sample, options),
        shape=_shape(own, layout),
        limits=_limits(info),
        search=search,
        checks=tuple(check for check in checks if check is not None),
    )


def _encoders(needed: tuple[str, ...], options: QdrantOptions) -> tuple[dict[str, SparseEncoder], Check | None]:
    if not needed:
        return {}, None
    names = ", ".join(f"'{name}'" for name in needed)
    if options.sparse == NO_SPARSE:
        detail = (
            f"plants carry none of the points' sparse vectors ({names}), as asked: a sparse search cannot find them"
        )
        return {}, Check("sparse encoder", None, detail)
    try:
        found = resolve_sparse(options.sparse, needed)
    except DarnelError as error:
        return {}, Check("sparse encoder", False, describe_error(error))
    if missing := [name for name in needed if name not in found]:
        detail = (
            f"points carry sparse vectors too ({names}); without them plants would be invisible to half of the search"
        )
        mend = "Give the application's encoder: ?sparse=module:attr, or sparse= in Python"
        mend += "" if len(needed) == 1 else f", as a mapping that names {', '.join(missing)}"
        mend += "; ?sparse=none plants without."
        return found, Check("sparse encoder", False, detail, mend)
    return {name: found[name] for name in needed}, Check("sparse encoder", True, names)


def _search(using: str | None, encoders: dict[str, SparseEncoder], options: QdrantOptions) -> tuple[str, Check | None]:
    possible = {"dense": using is not None, "sparse": bool(encoders), "hybrid": using is not None and bool(encoders)}
    wanted = options.search or next((name for name in ("hybrid", "dense", "sparse") if possible[name]), "dense")
    if possible[wanted]:
        return wanted, Check("search", True, wanted) if encoders else None
    if options.search is None:
        return wanted, None  # the vector check says why nothing can be searched
    return wanted, Check("search", False, f"the points carry no vectors for a {wanted} search", "Leave out ?search.")


def _objects(sample: Sequence[Any], options: QdrantOptions) -> tuple[str, ...]:
    found = {k for point in sample for k, v in (point.payload or {}).items() if isinstance(v, Mapping)}
    return (*([options.metadata] if options.metadata else []), *sorted(found - {options.metadata})[:MOST_OBJECTS])


def _shape(own: Sequence[Any], layout: Layout | None) -> RecordShape:
    if layout is None:
        return RecordShape()
    records = []
    for point in own:
        if layout.fits(point.payload or {}):
            text, metadata = layout.split(point.payload or {})
            records.append(Record(str(point.id), text, layout.without_bookkeeping(metadata)))
    return learn_shape(records)


def _limits(info: Any) -> Limits:
    strict = strict_mode(info)
    deepest = getattr(strict, "max_query_limit", None)
    batch = getattr(strict, "upsert_max_batchsize", None)
    searches = getattr(strict, "search_max_batchsize", None)
    return Limits(
        page=min(PAGE, deepest or PAGE),
        batch=min(MAX_BATCH, batch or MAX_BATCH),
        searches=min(SEARCHES, searches or SEARCHES),
        deepest=deepest,
    )


def strict_mode(info: Any) -> Any:
    """The strict mode settings in force, or None."""
    settings = getattr(info.config, "strict_mode_config", None)
    return settings if getattr(settings, "enabled", False) else None


def _server_checks(info: Any, options: QdrantOptions) -> Iterator[Check]:
    parameters = info.config.params
    sharding = getattr(parameters.sharding_method, "value", parameters.sharding_method)
    if sharding == "custom" and options.shard is None:
        yield Check("sharding", False, "shards are chosen by key", "Name the application's: ?shard=KEY.")
    if (parameters.replication_factor or 1) > 1:
        detail = f"{parameters.replication_factor} replicas; what was removed is read back from the one that answers"
        yield Check("replicas", None, detail, "Qdrant has no read that shows a point left on any one of them.")
    if getattr(info.config.optimizer_config, "prevent_unoptimized", None):
        detail = "new points cannot be found before the optimizer has run (prevent_unoptimized)"
        yield Check("visibility", None, detail, "Plants may come out as unreachable; raise --visible-within.")
    strict = strict_mode(info)
    if strict is not None and strict.unindexed_filtering_retrieve is False:
        detail = "strict mode refuses filters on unindexed keys: to find plants, every point is read"
        yield Check("strict mode", None, detail, "Slower on a large collection, and nothing else; removal is by id.")
    status = getattr(info.status, "value", info.status)
    if status == "red":
        yield Check("status", None, "red: the optimizer failed", "See the server's log; plants may not become visible.")
