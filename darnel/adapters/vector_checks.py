"""Preflight lines that every vector store shares."""

from __future__ import annotations

from collections.abc import Iterator

from darnel.core.corpus import Check, CorpusInjector, CorpusReader
from darnel.core.digest import sample_records
from darnel.core.errors import EmbedderError
from darnel.core.recovery import foreign_plants
from darnel.embedders.base import Embedder
from darnel.embedders.check import MIN_COSINE, agreement, check_dimension

SAMPLE = 16


def vector_checks(injector: CorpusInjector, reader: CorpusReader, embedder: Embedder | None) -> Iterator[Check]:
    """Size, dimension, record shape, the embedder against stored vectors, and plants already there."""
    where = injector.describe()
    filled = "fill it before testing: plants would compete with nothing"
    yield Check("records", where.size > 0, f"{where.size:,}", "" if where.size else filled)
    yield Check("dimension and metric", True, f"{where.dimension or 'unknown'}, {where.metric or 'unknown'}")
    keys = ", ".join(f"{k}{' (own value)' if k in where.shape.unique else ''}" for k in where.shape.template) or "none"
    yield Check("metadata of a plant", True, f"{keys}; from {where.shape.sampled} sampled records")
    if where.size:
        yield _embedder_check(injector, reader, embedder, where.dimension)
    count = foreign_plants(reader)
    mend = "If no run is under way: darnel sweep" if count else ""
    yield Check("plants already there", None if count else True, str(count), mend)


def _embedder_check(
    injector: CorpusInjector, reader: CorpusReader, embedder: Embedder | None, dimension: int | None
) -> Check:
    name = "embedder"
    if embedder is None:
        return Check(
            name, False, "none given", "Give the one the application uses: --embedder wordllama, or module:attr."
        )
    try:
        check_dimension(embedder, dimension)
        found = agreement(embedder, sample_records(reader, injector, SAMPLE))
    except EmbedderError as error:
        return Check(name, False, str(error))
    if not found.n:
        return Check(
            name, None, f"{embedder.name}; no sampled record has both text and vector, so it cannot be checked"
        )
    detail = (
        f"{embedder.name} re-embeds {found.n} sampled records at cosine {found.median:.4f} (lowest {found.lowest:.4f})"
    )
    if not found.holds():
        return Check(
            name,
            False,
            f"{detail}, and {MIN_COSINE} is the least",
            "Give the embedder, and the text preparation, that the application uses.",
        )
    return Check(name, True, detail)
