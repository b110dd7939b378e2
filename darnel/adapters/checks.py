"""Preflight lines that adapters share."""

from __future__ import annotations

from collections.abc import Iterator

from darnel.core.corpus import Check, CorpusInjector, CorpusReader
from darnel.core.errors import EmbedderError
from darnel.core.planting.digest import sample_records
from darnel.core.planting.recovery import foreign_plants
from darnel.embedders.base import Embedder
from darnel.embedders.check import MIN_COSINE, agreement, check_dimension

SAMPLE = 16


def corpus_checks(injector: CorpusInjector, reader: CorpusReader) -> Iterator[Check]:
    """Size, record shape, and plants already there: what any corpus that can be read has."""
    where = injector.describe()
    filled = "Fill it before testing: plants would compete with nothing."
    yield Check("records", where.size > 0, f"{where.size:,}", "" if where.size else filled)
    keys = ", ".join(f"{k}{' (own value)' if k in where.shape.unique else ''}" for k in where.shape.template) or "none"
    yield Check("metadata of a plant", True, f"{keys}; from {where.shape.sampled} sampled records")
    count = foreign_plants(reader)
    mend = "They are left out of every rank. If no other run is under way: darnel sweep" if count else ""
    yield Check("plants already there", None if count else True, str(count), mend)


def vector_checks(injector: CorpusInjector, reader: CorpusReader, embedder: Embedder | None) -> Iterator[Check]:
    """What any corpus has, then dimension and metric, and the embedder against the stored vectors."""
    yield from corpus_checks(injector, reader)
    where = injector.describe()
    yield Check("dimension and metric", True, f"{where.dimension or 'unknown'}, {where.metric or 'unknown'}")
    if where.size:
        yield _embedder_check(injector, reader, embedder, where.dimension)


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
