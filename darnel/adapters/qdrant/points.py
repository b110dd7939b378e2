"""Plants to points and points to records; nothing here talks to a store."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from darnel.adapters.qdrant.detect import read_payload
from darnel.adapters.qdrant.layouts import Layout
from darnel.adapters.qdrant.setup import Setup
from darnel.adapters.qdrant.steady import SteadyVectors
from darnel.adapters.qdrant.vectors import compose, plain, size_in_json
from darnel.core.corpus import Record
from darnel.core.errors import EmbedderError, PlantError
from darnel.core.plant import Plant, check_plant
from darnel.embedders.base import Embedder
from darnel.embedders.check import check_dimension, check_vectors

MAX_REQUEST_BYTES = 16_000_000
"""Half of the 32 MiB that a server takes by default."""


def point_id(id_: str) -> int | str | None:
    """A record id as Qdrant has it: an unsigned 64-bit number or a UUID; None where no point can bear it."""
    if id_.isascii() and id_.isdecimal():
        return number if (number := int(id_)) < 2**64 else None
    try:
        return str(uuid.UUID(id_))
    except ValueError:
        return None


def to_record(point: Any, given: Layout | None, steady: SteadyVectors | None = None) -> Record:
    """A record from a point of the client's; without a vector where none was fetched."""
    text, metadata = read_payload(point.payload, given)
    vector = plain(point.vector)
    return Record(str(point.id), text, metadata, steady.steady(str(point.id), vector) if steady else vector)


def make_points(plants: Sequence[Plant], setup: Setup, embedder: Embedder | None) -> list[Any]:
    """The points of plants, embedded as the application embeds such payloads, sparse vectors included.

    Raises:
        EmbedderError: no embedder, or one whose vectors do not fit.
        PlantError: a text or metadata that cannot be stored as it is, or a point larger than a request may be.
    """
    from qdrant_client.models import PointStruct

    layout = setup.require()
    for plant in plants:
        check_plant(plant)
    payloads = [layout.compose(p.id, p.text, p.metadata) for p in plants]
    texts = _texts(plants, payloads, layout)
    dense = _dense(plants, texts, setup, embedder)
    sparse = {name: encoder.documents(texts) for name, encoder in setup.encoders.items()}
    points = []
    for row, (plant, payload) in enumerate(zip(plants, payloads, strict=True)):
        of_row = {name: vectors[row] for name, vectors in sparse.items()}
        mine = {} if setup.using is None else {setup.using: dense[row]}
        points.append(PointStruct(id=plant.id, payload=payload, vector=compose(setup.vectors, mine, of_row)))
        if (size := point_size(points[-1])) > MAX_REQUEST_BYTES:
            raise PlantError(
                f"plant {plant.name} makes a request of {size:,} bytes and Qdrant gets {MAX_REQUEST_BYTES:,} at the most; "
                "lower the strength or shorten the query"
            )
    return points


def dense_vectors(plants: Sequence[Plant], setup: Setup, embedder: Embedder | None) -> Sequence[Sequence[float]]:
    """The dense vectors that plants get; raises what ``make_points`` does."""
    layout = setup.require()
    payloads = [layout.compose(p.id, p.text, p.metadata) for p in plants]
    return _dense(plants, _texts(plants, payloads, layout), setup, embedder)


def point_size(point: Any) -> int:
    """Upper bound of a point's bytes in a request."""
    return len(json.dumps(point.payload, default=str)) + size_in_json(point.vector) + 100


def by_size(points: Sequence[Any], most: int) -> Iterator[list[Any]]:
    """Points in order, each batch within a request's bytes and within ``most`` points."""
    batch: list[Any] = []
    total = 0
    for point in points:
        size = point_size(point)
        if batch and (len(batch) >= most or total + size > MAX_REQUEST_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(point)
        total += size
    if batch:
        yield batch


def _texts(plants: Sequence[Plant], payloads: Sequence[Mapping[str, Any]], layout: Layout) -> list[str]:
    """What the application's framework would embed for each."""
    return [layout.embedded(payload) or plant.text for payload, plant in zip(payloads, plants, strict=True)]


def _dense(
    plants: Sequence[Plant], texts: Sequence[str], setup: Setup, embedder: Embedder | None
) -> Sequence[Sequence[float]]:
    if setup.dense is None:
        return []
    bare = [text for text, plant in zip(texts, plants, strict=True) if plant.vector is None]
    made = iter(_embedded(bare, setup.dense.size, embedder) if bare else [])
    vectors = [next(made) if plant.vector is None else plant.vector for plant in plants]
    checked: list[list[float]] = check_vectors(vectors, setup.dense.size).tolist()
    return checked


def _embedded(texts: list[str], size: int, embedder: Embedder | None) -> list[list[float]]:
    if embedder is None:
        raise EmbedderError("planting needs the application's embedder; give it with --embedder")
    check_dimension(embedder, size)
    found: list[list[float]] = embedder.documents(texts).tolist()
    return found
