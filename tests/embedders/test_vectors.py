"""The vectors that plants are written with: their own, or those of the application's embedder; or none are written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from darnel.core.errors import EmbedderError, EmptyCorpusError
from darnel.core.plant import Plant, make_marker, make_plant
from darnel.embedders.vectors import plant_vectors
from darnel.testing import word_embedder

EMBEDDER = word_embedder(8)


def plants(*vectors: list[float] | None) -> list[Plant]:
    made = []
    for number, vector in enumerate(vectors):
        marker = make_marker(0, number)
        about = {"pattern": "p", "strength": 1, "query_id": str(number), "copy": 0}
        made.append(
            make_plant(
                identity="i", campaign="c", marker=marker, text=f"Text {number}. {marker}", vector=vector, **about
            )
        )
    return made


def test_texts_are_embedded_as_documents() -> None:
    some = plants(None, None, None)
    made = plant_vectors(some, EMBEDDER, 8)
    assert made.dtype == np.float32
    assert np.array_equal(made, EMBEDDER.documents([p.text for p in some]))


def test_a_plants_own_vector_comes_first() -> None:
    own = [0.5] * 8
    some = plants(None, own, None)
    made = plant_vectors(some, EMBEDDER, 8)
    assert np.array_equal(made[1], np.float32(own))
    assert np.array_equal(made[[0, 2]], EMBEDDER.documents([some[0].text, some[2].text]))


def test_no_embedder_is_needed_where_every_plant_has_its_vector() -> None:
    some = [replace(p, vector=np.ones(8, dtype=np.float32)) for p in plants(None, None)]
    assert plant_vectors(some, None, 8).shape == (2, 8)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(EmptyCorpusError):
        plant_vectors(plants(None), EMBEDDER, None)
    with pytest.raises(EmbedderError, match="--embedder"):
        plant_vectors(plants(None, [0.5] * 8), None, 8)
    with pytest.raises(EmbedderError, match="9"):
        plant_vectors(plants(None), EMBEDDER, 9)
    with pytest.raises(EmbedderError, match="7"):
        plant_vectors(plants([0.5] * 7), EMBEDDER, 8)
    with pytest.raises(EmbedderError, match="NaN"):
        plant_vectors(plants([float("nan")] * 8), EMBEDDER, 8)
